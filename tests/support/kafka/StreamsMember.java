// GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;

/** A Kafka Streams application that only reads: EVENTS TOPIC,TOPIC KEY=VALUE... Its states are written as JSON lines. */
public class StreamsMember {
    private static final Map<String, String> EVENTS =
        Map.of("RUNNING", "assigned", "REBALANCING", "revoked", "ERROR", "error", "NOT_RUNNING", "left");

    public static void main(String[] arguments) {
        Path events = Path.of(arguments[0]);
        List<String> topics = Arrays.asList(arguments[1].split(","));
        Properties settings = new Properties();
        Arrays.stream(arguments).skip(2).map(one -> one.split("=", 2)).forEach(one -> settings.put(one[0], one[1]));

        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(topics).foreach((key, value) -> { });
        KafkaStreams streams = new KafkaStreams(builder.build(), settings);
        streams.setStateListener((now, before) -> write(events, now.name()));
        Runtime.getRuntime().addShutdownHook(new Thread(streams::close));
        streams.start();
    }

    private static void write(Path events, String state) {
        String event = EVENTS.get(state);
        if (event == null) {
            return;
        }
        String line = "{\"time\": %.3f, \"event\": \"%s\", \"partitions\": []}%n"
            .formatted(System.currentTimeMillis() / 1000.0, event);
        try {
            Files.writeString(events, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (java.io.IOException error) {
            throw new java.io.UncheckedIOException(error);
        }
    }
}
