"""The script that most migrations start with: one SELECT, `batch_writer`, no checkpoint, no checks.

boto3_script.py DATABASE_URL ENDPOINT ROWS
"""

import json
import sys
import uuid
from decimal import Decimal
from urllib.parse import urlsplit

import boto3

COLUMNS = (
    "id, reference, customer_id, status, customer_name, total, tax, created_at, shipped_at, paid, "
    "details, quantity, note"
)


def main(url, endpoint, rows):
    table = boto3.resource(
        "dynamodb",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
    ).Table("orders")
    with table.batch_writer() as batch:
        for row in select(url, f"SELECT {COLUMNS} FROM orders ORDER BY id LIMIT {int(rows)}"):
            batch.put_item(Item=item(row))


def select(url, sql):
    if url.startswith("postgres"):
        import psycopg

        with psycopg.connect(url) as connection:
            connection.execute("SET TIME ZONE 'UTC'")
            with connection.cursor("orders") as cursor:
                yield from cursor.execute(sql)
    else:
        import pymysql

        parts = urlsplit(url)
        connection = pymysql.connect(
            host=parts.hostname,
            port=parts.port,
            user=parts.username,
            password=parts.password or "",
            database=parts.path.strip("/"),
            cursorclass=pymysql.cursors.SSCursor,
        )
        with connection, connection.cursor() as cursor:
            cursor.execute(sql)
            yield from cursor


def item(row):
    (id_, reference, customer, status, name, total, tax, created, shipped, paid, details, quantity, note) = row
    if isinstance(reference, bytes):
        reference = uuid.UUID(bytes=reference)
    if isinstance(details, str):
        details = json.loads(details, parse_float=Decimal)
    created = created.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    item = {
        "PK": f"CUSTOMER#{customer:010}",
        "SK": f"ORDER#{id_:012}",
        "GSI1PK": f"STATUS#{status}",
        "GSI1SK": f"{created}#{id_:012}",
        "GSI2PK": f"ORDER#{reference}",
        "GSI2SK": "ORDER",
        "entity_type": "Order",
        "id": id_,
        "reference": str(reference),
        "customer_id": customer,
        "status": status,
        "customer_name": name,
        "total": total,
        "tax": tax,
        "created_at": created,
        "shipped_at": shipped and shipped.isoformat(),
        "paid": bool(paid),
        "details": decimals(details),
        "quantity": quantity,
        "note": note,
    }
    return {name: value for name, value in item.items() if value is not None}


def decimals(value):
    """boto3 refuses floats."""
    if isinstance(value, float):
        return Decimal(str(value))
    if isinstance(value, dict):
        return {name: decimals(member) for name, member in value.items()}
    if isinstance(value, list):
        return [decimals(member) for member in value]
    return value


if __name__ == "__main__":
    main(*sys.argv[1:])
