// Copyright (c) 2026, kafkaops.groups contributors
// GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.state.Stores;

/**
 * Kafka Streams applications that count: EVENTS NAME,NAME KEY=VALUE... The application NAME copies the topic NAME-input to
 * NAME-mid, and writes to NAME-output how often each value was seen in NAME-mid. It has a repartition and a changelog topic.
 * Once all of them run, a JSON line "assigned" is written.
 */
public class StreamsCounter {
    public static void main(String[] arguments) throws Exception {
        Path events = Path.of(arguments[0]);
        String[] names = arguments[1].split(",");
        CountDownLatch running = new CountDownLatch(names.length);
        for (String name : names) {
            Properties settings = new Properties();
            Arrays.stream(arguments).skip(2).map(one -> one.split("=", 2)).forEach(one -> settings.put(one[0], one[1]));
            settings.put("application.id", name);
            settings.put("client.id", name);
            KafkaStreams streams = new KafkaStreams(topology(name), settings);
            streams.setStateListener((now, before) -> {
                if (now == KafkaStreams.State.RUNNING) {
                    running.countDown();
                }
            });
            Runtime.getRuntime().addShutdownHook(new Thread(streams::close));
            streams.start();
        }
        running.await();
        Files.writeString(events, "{\"event\": \"assigned\", \"partitions\": []}\n", StandardOpenOption.CREATE_NEW);
    }

    private static Topology topology(String name) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream(name + "-input").to(name + "-mid");
        builder.<String, String>stream(name + "-mid")
            .groupBy((key, value) -> value, Grouped.as("by-value"))
            .count(Materialized.as(Stores.inMemoryKeyValueStore("counts")))
            .toStream()
            .to(name + "-output", Produced.with(Serdes.String(), Serdes.Long()));
        return builder.build();
    }
}
