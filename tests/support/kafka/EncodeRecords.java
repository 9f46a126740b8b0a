// Copyright (c) 2026, kafkaops.groups contributors
// GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.coordinator.group.generated.CoordinatorRecordJsonConverters;
import org.apache.kafka.coordinator.group.generated.CoordinatorRecordType;

/**
 * Records of the group coordinator, by its own classes. Reads lines {"type", "version", "key", "value", "unknownTags"},
 * where a value that is missing is what its class starts with, and writes what becomes of them: key and value, in hex.
 * With an argument: writes each record type, the highest version of its value, and its name.
 */
public class EncodeRecords {
    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0) {
            for (CoordinatorRecordType type : CoordinatorRecordType.values()) {
                System.out.println(type.id() + " " + type.highestSupportedVersion() + " " + type.name());
            }
            return;
        }
        ObjectMapper json = new ObjectMapper();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            JsonNode record = json.readTree(line);
            short type = record.get("type").shortValue();
            short version = record.get("version").shortValue();
            ApiMessage key = CoordinatorRecordJsonConverters.readRecordKeyFromJson(record.get("key"), type);
            ApiMessage value = record.has("value")
                ? CoordinatorRecordJsonConverters.readRecordValueFromJson(record.get("value"), type, version)
                : CoordinatorRecordType.fromId(type).newRecordValue();
            for (Map.Entry<String, JsonNode> tag : record.path("unknownTags").properties()) {
                byte[] content = tag.getValue().binaryValue();
                value.unknownTaggedFields().add(new RawTaggedField(Integer.parseInt(tag.getKey()), content));
            }
            HexFormat hex = HexFormat.of();
            System.out.println(hex.formatHex(MessageUtil.toCoordinatorTypePrefixedBytes(key)) + " "
                + hex.formatHex(MessageUtil.toVersionPrefixedBytes(version, value)));
        }
    }
}
