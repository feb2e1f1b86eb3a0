class Main {
    public static void main(String[] arguments) throws Exception {
        java.util.List<String> texts = new java.util.ArrayList<>();
        java.util.HexFormat hex = java.util.HexFormat.of();
        StringBuilder answers = new StringBuilder();
        for (String line : new String(System.in.readAllBytes(), UTF_8).split("\n")) {
            String[] words = line.split(" ");
            if (words[0].equals("shard")) {
                String text = new String(hex.parseHex(words[1]), UTF_8);
                if (texts.isEmpty() || !texts.get(texts.size() - 1).equals(text)) {
                    texts.add(text);
                }
                answers.append(Sharding.shard(text, Integer.parseInt(words[2]))).append('\n');
                continue;
            }
            int shards = Integer.parseInt(words[1]);
            Comparator<String> byBytes = Comparator.comparing(text -> text.getBytes(UTF_8), Arrays::compareUnsigned);
            java.util.Map<String, List<String>> held = new java.util.HashMap<>();
            for (String text : texts.stream().sorted(byBytes.reversed()).toList()) {
                String key = "P#" + Sharding.shard(text, shards);
                held.computeIfAbsent(key, any -> new java.util.ArrayList<>()).add(text);
            }
            BiFunction<String, Integer, List<String>> query =
                    (key, limit) -> held.getOrDefault(key, List.of()).stream().limit(limit).toList();
            List<String> found =
                    Sharding.newest(query, "P", shards, text -> text, Integer.parseInt(words[2]));
            List<String> shown = found.stream().map(text -> hex.formatHex(text.getBytes(UTF_8))).toList();
            answers.append(String.join(",", shown)).append('\n');
        }
        System.out.print(answers);
    }
}
