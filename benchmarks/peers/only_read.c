// Copyright (c) 2026, kafkaops.groups contributors
// GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

// The lower bound of a scan: reads every n-th partition with librdkafka, and does nothing with the records.
// Arguments: topic, number of partitions, own number, n, and properties as name=value. It waits for a line on its
// standard input before it reads, and prints the number of records.

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// as in rdkafka.h, which the package confluent-kafka does not contain
typedef struct {
    int err;
    void *topic;
    int32_t partition;
    void *payload;
    size_t length;
    void *key;
    size_t key_length;
    int64_t offset;
    void *private;
} message;
enum { CONSUMER = 1, OK = 0, END_OF_PARTITION = -191, BATCH = 10000, TIMEOUT_MS = 20 };

void *rd_kafka_conf_new(void);
int rd_kafka_conf_set(void *conf, const char *name, const char *value, char *why, size_t size);
void *rd_kafka_new(int type, void *conf, char *why, size_t size);
void *rd_kafka_topic_partition_list_new(int size);
void *rd_kafka_topic_partition_list_add(void *list, const char *topic, int32_t partition);
int rd_kafka_topic_partition_list_set_offset(void *list, const char *topic, int32_t partition, int64_t offset);
int rd_kafka_assign(void *consumer, void *list);
void *rd_kafka_queue_get_consumer(void *consumer);
ptrdiff_t rd_kafka_consume_batch_queue(void *queue, int timeout_ms, message **messages, size_t size);
void rd_kafka_message_destroy(message *one);
int rd_kafka_metadata(void *consumer, int all, void *topic, const void **found, int timeout_ms);
void rd_kafka_metadata_destroy(const void *found);

static void fail(const char *why) {
    fprintf(stderr, "%s\n", why);
    exit(1);
}

int main(int count, char **arguments) {
    char why[512] = "wrong number of arguments";
    if (count < 5)
        fail(why);
    const char *topic = arguments[1];
    int partitions = atoi(arguments[2]), number = atoi(arguments[3]), step = atoi(arguments[4]);
    void *conf = rd_kafka_conf_new();
    for (int each = 5; each < count; each++) {
        char *value = strchr(arguments[each], '=');
        if (!value)
            fail("a property has no value");
        *value++ = 0;
        if (rd_kafka_conf_set(conf, arguments[each], value, why, sizeof why) != OK)
            fail(why);
    }
    void *consumer = rd_kafka_new(CONSUMER, conf, why, sizeof why);
    if (!consumer)
        fail(why);
    const void *metadata;
    if (rd_kafka_metadata(consumer, 1, NULL, &metadata, 10000) != OK)
        fail("the broker does not respond");
    rd_kafka_metadata_destroy(metadata);
    puts("ready");
    fflush(stdout);
    getchar();

    int remaining = 0;
    void *list = rd_kafka_topic_partition_list_new(partitions);
    for (int partition = number; partition < partitions; partition += step, remaining++) {
        rd_kafka_topic_partition_list_add(list, topic, partition);
        rd_kafka_topic_partition_list_set_offset(list, topic, partition, 0);
    }
    if (rd_kafka_assign(consumer, list) != OK)
        fail("the partitions cannot be assigned");
    void *queue = rd_kafka_queue_get_consumer(consumer);
    message *batch[BATCH];
    long records = 0;
    while (remaining) {
        ptrdiff_t size = rd_kafka_consume_batch_queue(queue, TIMEOUT_MS, batch, BATCH);
        for (ptrdiff_t place = 0; place < size; place++) {
            if (batch[place]->err == OK)
                records++;
            else if (batch[place]->err == END_OF_PARTITION)
                remaining--;
            else
                fail("a partition cannot be read");
            rd_kafka_message_destroy(batch[place]);
        }
    }
    printf("%ld\n", records);
    return 0;
}
