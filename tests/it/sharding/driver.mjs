import { readFileSync } from "node:fs";
import { newest, shard } from "./sharding.mjs";

const texts = [];
const answers = [];
const descending = (a, b) => Buffer.compare(Buffer.from(b), Buffer.from(a));
for (const line of readFileSync(0, "utf8").trim().split("\n")) {
  const [question, first, second] = line.split(" ");
  if (question === "shard") {
    const text = Buffer.from(first, "hex").toString("utf8");
    if (texts.at(-1) !== text) texts.push(text);
    answers.push(shard(text, Number(second)));
  } else {
    const held = new Map();
    for (const text of [...texts].sort(descending)) {
      const key = `P#${shard(text, Number(first))}`;
      held.set(key, [...(held.get(key) ?? []), { SK: text }]);
    }
    const query = async (key, limit) => (held.get(key) ?? []).slice(0, limit);
    const found = await newest(query, "P", Number(first), "SK", Number(second));
    answers.push(found.map((item) => Buffer.from(item.SK).toString("hex")).join(","));
  }
}
console.log(answers.join("\n"));
