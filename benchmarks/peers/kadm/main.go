// Copyright (c) 2026, kafkaops.groups contributors
// GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

// kadm of franz-go; a peer as benchmarks/peers/contract.py says.
package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	topic  = "bench"
	atOnce = 64
)

type job struct {
	client *kadm.Client
	groups []string
	saved  string
}

func main() {
	text, err := os.ReadFile(os.Args[3])
	check(err)
	operations := map[string]func(context.Context, job) int64{
		"list": list, "describe": describe, "offsets": lag, "delete": remove, "delete-offsets": deleteOffsets,
		"members-of-one": removeMembers, "members-of-many": removeMembers, "backup": backup, "restore": restore,
	}
	started := time.Now()
	client, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(os.Args[1], ",")...))
	check(err)
	done := operations[os.Args[2]](context.Background(), job{kadm.NewClient(client), strings.Fields(string(text)), os.Args[4]})
	line, err := json.Marshal(map[string]any{"seconds": time.Since(started).Seconds(), "done": done})
	check(err)
	fmt.Println(string(line))
	client.Close()
}

func list(ctx context.Context, j job) int64 {
	return int64(len(listed(ctx, j)))
}

func describe(ctx context.Context, j job) int64 {
	described, err := j.client.DescribeGroups(ctx, j.groups...)
	check(errors.Join(err, described.Error()))
	var empty int64
	for _, group := range described {
		if group.State == "Empty" {
			empty++
		}
	}
	return empty
}

func lag(ctx context.Context, j job) int64 {
	committed := fetched(ctx, j, listed(ctx, j))
	ends, err := j.client.ListEndOffsets(ctx, topic)
	check(errors.Join(err, ends.Error()))
	var sum int64
	for _, group := range committed {
		group.Fetched.Each(func(at kadm.OffsetResponse) {
			end, found := ends.Lookup(at.Topic, at.Partition)
			if !found {
				check(fmt.Errorf("no end of %s", at.Topic))
			}
			sum += end.Offset - at.At
		})
	}
	return sum
}

func remove(ctx context.Context, j job) int64 {
	answers, err := j.client.DeleteGroups(ctx, j.groups...)
	check(errors.Join(err, answers.Error()))
	return int64(len(answers))
}

func deleteOffsets(ctx context.Context, j job) int64 {
	return each(j.groups, func(group string) int64 {
		var where kadm.TopicsSet
		where.Add(topic, 0)
		answer, err := j.client.DeleteOffsets(ctx, group, where)
		check(errors.Join(err, answer.Error()))
		return 1
	})
}

// removeMembers takes static members, the only ones that kadm removes.
func removeMembers(ctx context.Context, j job) int64 {
	instances := make(map[string][]string)
	consumers, err := j.client.DescribeConsumerGroups(ctx, j.groups...)
	check(err)
	var classic []string
	for _, name := range j.groups {
		if consumers[name].Err != nil {
			classic = append(classic, name)
		}
		for _, member := range consumers[name].Members {
			instances[name] = append(instances[name], *member.InstanceID)
		}
	}
	if len(classic) > 0 {
		described, err := j.client.DescribeGroups(ctx, classic...)
		check(errors.Join(err, described.Error()))
		for name, group := range described {
			for _, member := range group.Members {
				instances[name] = append(instances[name], *member.InstanceID)
			}
		}
	}
	return each(j.groups, func(group string) int64 {
		answers, err := j.client.LeaveGroup(ctx, kadm.LeaveGroup(group).InstanceIDs(instances[group]...))
		check(errors.Join(err, answers.Error()))
		return int64(len(answers))
	})
}

func backup(ctx context.Context, j job) int64 {
	file, err := os.Create(j.saved)
	check(err)
	out := csv.NewWriter(file)
	for name, group := range fetched(ctx, j, j.groups) {
		group.Fetched.Each(func(at kadm.OffsetResponse) {
			check(out.Write([]string{name, at.Topic, strconv.Itoa(int(at.Partition)), strconv.FormatInt(at.At, 10)}))
		})
	}
	out.Flush()
	check(errors.Join(out.Error(), file.Close()))
	return remove(ctx, j)
}

func restore(ctx context.Context, j job) int64 {
	file, err := os.Open(j.saved)
	check(err)
	rows, err := csv.NewReader(file).ReadAll()
	check(errors.Join(err, file.Close()))
	offsets := make(map[string]kadm.Offsets)
	var groups []string
	for _, row := range rows {
		partition, err := strconv.Atoi(row[2])
		check(err)
		at, err := strconv.ParseInt(row[3], 10, 64)
		check(err)
		wanted := offsets[row[0]]
		wanted.AddOffset(row[1], int32(partition), at, -1)
		offsets[row[0]] = wanted
		groups = append(groups, row[0])
	}
	return each(groups, func(group string) int64 {
		check(j.client.CommitAllOffsets(ctx, group, offsets[group]))
		return int64(len(offsets[group]))
	})
}

func listed(ctx context.Context, j job) []string {
	groups, err := j.client.ListGroups(ctx)
	check(err)
	return groups.Groups()
}

func fetched(ctx context.Context, j job, groups []string) kadm.FetchOffsetsResponses {
	answers := j.client.FetchManyOffsets(ctx, groups...)
	check(answers.Error())
	return answers
}

// each calls what kadm takes for one group at a time, some at the same time.
func each(groups []string, call func(string) int64) int64 {
	var done atomic.Int64
	var all sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for _, group := range groups {
		slots <- struct{}{}
		all.Go(func() {
			done.Add(call(group))
			<-slots
		})
	}
	all.Wait()
	return done.Load()
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
