package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
)

func main() {
	var texts []string
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if words[0] == "shard" {
			bytes, _ := hex.DecodeString(words[1])
			text := string(bytes)
			if len(texts) == 0 || texts[len(texts)-1] != text {
				texts = append(texts, text)
			}
			shards, _ := strconv.Atoi(words[2])
			fmt.Println(Shard(text, uint32(shards)))
			continue
		}
		shards, _ := strconv.Atoi(words[1])
		limit, _ := strconv.Atoi(words[2])
		sorted := append([]string{}, texts...)
		sort.Sort(sort.Reverse(sort.StringSlice(sorted)))
		held := map[string][]string{}
		for _, text := range sorted {
			key := fmt.Sprintf("P#%d", Shard(text, uint32(shards)))
			held[key] = append(held[key], hex.EncodeToString([]byte(text)))
		}
		query := func(key string, limit int) ([]string, error) {
			items := held[key]
			if len(items) > limit {
				items = items[:limit]
			}
			return items, nil
		}
		found, _ := Newest(query, "P", shards, func(text string) string { return text }, limit)
		fmt.Println(strings.Join(found, ","))
	}
}
