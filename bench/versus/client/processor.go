// Processor time of the cluster: that of all processes which the parent of this client started, directly or not, except this client.
package main

import (
	"os"
	"strconv"
	"strings"
	"time"
)

const tick = 10 * time.Millisecond

func processorTime() time.Duration {
	parents, times := map[int]int{}, map[int]time.Duration{}
	entries, err := os.ReadDir("/proc")
	check(err)
	for _, entry := range entries {
		id, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		text, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue // The process has ended meanwhile.
		}
		// A command's name may contain any character. The fields after it: state, parent, and so on.
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		parents[id], _ = strconv.Atoi(fields[1])
		for _, at := range []int{11, 12} {
			ticks, _ := strconv.Atoi(fields[at])
			times[id] += time.Duration(ticks) * tick
		}
	}
	var sum time.Duration
	for id, spent := range times {
		if id != os.Getpid() && descends(parents, id, os.Getppid()) {
			sum += spent
		}
	}
	return sum
}

func descends(parents map[int]int, id, from int) bool {
	for id = parents[id]; id > 1; id = parents[id] {
		if id == from {
			return true
		}
	}
	return false
}
