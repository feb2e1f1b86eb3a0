SNIPPET

import sys

texts = []
for line in sys.stdin:
    words = line.split()
    if words[0] == "shard":
        text = bytes.fromhex(words[1]).decode("utf-8")
        if not texts or texts[-1] != text:
            texts.append(text)
        print(shard(text, int(words[2])))
    else:
        shards, limit = int(words[1]), int(words[2])
        held = {}
        for text in sorted(texts, reverse=True):
            held.setdefault(f"P#{shard(text, shards)}", []).append({"SK": text})
        found = newest(lambda key, limit: held.get(key, [])[:limit], "P", shards, "SK", limit)
        print(",".join(item["SK"].encode("utf-8").hex() for item in found))
