// Copyright (c) 2026, kafkaops.groups contributors
// GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConsumerGroupOffsetsResult;
import org.apache.kafka.clients.admin.DeleteConsumerGroupOffsetsResult;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupResult;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;

/** Kafka's own Admin in one JVM; a peer as benchmarks/peers/contract.py says. */
public class AdminPeer {
    private static final String TOPIC = "bench";

    private final Admin admin;
    private final List<String> groups;
    private final Path saved;

    private AdminPeer(Admin admin, List<String> groups, Path saved) {
        this.admin = admin;
        this.groups = groups;
        this.saved = saved;
    }

    public static void main(String[] arguments) throws Exception {
        List<String> groups = Files.readAllLines(Path.of(arguments[2]));
        long started = System.nanoTime();
        Map<String, Object> config = Map.of(
            "bootstrap.servers", arguments[0], "default.api.timeout.ms", 300000, "request.timeout.ms", 300000);
        try (Admin admin = Admin.create(config)) {
            long done = new AdminPeer(admin, groups, Path.of(arguments[3])).run(arguments[1]);
            double seconds = (System.nanoTime() - started) / 1e9;
            System.out.printf("{\"seconds\": %.6f, \"done\": %d}%n", seconds, done);
        }
    }

    private long run(String operation) throws Exception {
        switch (operation) {
            case "list": return listed().size();
            case "describe": return describe();
            case "offsets": return lag();
            case "delete": return delete();
            case "delete-offsets": return deleteOffsets();
            case "members-of-one":
            case "members-of-many": return removeMembers();
            case "backup": return backup();
            case "restore": return restore();
            default: throw new IllegalArgumentException(operation);
        }
    }

    private List<String> listed() throws Exception {
        return admin.listGroups().all().get().stream().map(GroupListing::groupId).collect(Collectors.toList());
    }

    private long describe() throws Exception {
        return admin.describeConsumerGroups(groups).all().get().values().stream()
            .filter(group -> group.groupState() == GroupState.EMPTY).count();
    }

    private Map<String, Map<TopicPartition, OffsetAndMetadata>> committed(List<String> names) throws Exception {
        Map<String, ListConsumerGroupOffsetsSpec> asked = new HashMap<>();
        names.forEach(name -> asked.put(name, new ListConsumerGroupOffsetsSpec()));
        return admin.listConsumerGroupOffsets(asked).all().get();
    }

    private long lag() throws Exception {
        Map<String, Map<TopicPartition, OffsetAndMetadata>> committed = committed(listed());
        Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
        committed.values().forEach(one -> one.keySet().forEach(where -> asked.put(where, OffsetSpec.latest())));
        var ends = admin.listOffsets(asked).all().get();
        long sum = 0;
        for (var offsets : committed.values()) {
            for (var at : offsets.entrySet()) {
                sum += ends.get(at.getKey()).offset() - at.getValue().offset();
            }
        }
        return sum;
    }

    private long delete() throws Exception {
        admin.deleteConsumerGroups(groups).all().get();
        return groups.size();
    }

    private long deleteOffsets() throws Exception {
        List<DeleteConsumerGroupOffsetsResult> answers = new ArrayList<>();
        for (String group : groups) {
            answers.add(admin.deleteConsumerGroupOffsets(group, Set.of(new TopicPartition(TOPIC, 0))));
        }
        for (DeleteConsumerGroupOffsetsResult answer : answers) {
            answer.all().get();
        }
        return answers.size();
    }

    private long removeMembers() throws Exception {
        List<RemoveMembersFromConsumerGroupResult> answers = new ArrayList<>();
        long members = 0;
        for (var group : admin.describeConsumerGroups(groups).all().get().values()) {
            members += group.members().size();
        }
        for (String group : groups) {
            // without members in its options it removes all
            answers.add(admin.removeMembersFromConsumerGroup(group, new RemoveMembersFromConsumerGroupOptions()));
        }
        for (RemoveMembersFromConsumerGroupResult answer : answers) {
            answer.all().get();
        }
        return members;
    }

    private long backup() throws Exception {
        StringBuilder csv = new StringBuilder();
        for (var group : committed(groups).entrySet()) {
            for (var at : group.getValue().entrySet()) {
                csv.append(group.getKey()).append(',').append(at.getKey().topic()).append(',')
                    .append(at.getKey().partition()).append(',').append(at.getValue().offset()).append('\n');
            }
        }
        Files.writeString(saved, csv);
        return delete();
    }

    private long restore() throws Exception {
        List<AlterConsumerGroupOffsetsResult> answers = new ArrayList<>();
        for (String line : Files.readAllLines(saved)) {
            String[] cells = line.split(",");
            TopicPartition where = new TopicPartition(cells[1], Integer.parseInt(cells[2]));
            OffsetAndMetadata offset = new OffsetAndMetadata(Long.parseLong(cells[3]));
            answers.add(admin.alterConsumerGroupOffsets(cells[0], Map.of(where, offset)));
        }
        for (AlterConsumerGroupOffsetsResult answer : answers) {
            answer.all().get();
        }
        return answers.size();
    }
}
