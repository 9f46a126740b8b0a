# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""All that is used of PyArrow, PySpark and confluent-kafka: imported here alone.

The file engine/process.py reports what is missing.
"""

# mypy: disable-error-code="assignment,misc"

from __future__ import annotations

try:
    import pyarrow as pa
    import pyarrow.compute as pc
    from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
    from pyspark import SparkContext, SparkFiles, StorageLevel
    from pyspark.errors import PySparkException, PySparkRuntimeError
    from pyspark.sql import Column, DataFrame, Observation, SparkSession, Window
    from pyspark.sql import functions as F
    from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
    from pyspark.sql.pandas.types import from_arrow_schema
    from pyspark.sql.types import StructType
except ImportError:
    # classes are derived from these
    DataSource = DataSourceReader = object
    Column = DataFrame = F = InputPartition = Observation = Py4JError = Py4JJavaError = Py4JNetworkError = (
        PySparkException
    ) = PySparkRuntimeError = None
    SparkContext = SparkFiles = SparkSession = StorageLevel = StructType = Window = None
    from_arrow_schema = pa = pc = None

# executors may lack this one alone
try:
    import confluent_kafka
    from confluent_kafka import Consumer, Message, TopicPartition
except ImportError:
    Consumer = Message = TopicPartition = confluent_kafka = None

__all__ = [
    "Column",
    "Consumer",
    "DataFrame",
    "DataSource",
    "DataSourceReader",
    "F",
    "InputPartition",
    "Message",
    "Observation",
    "Py4JError",
    "Py4JJavaError",
    "Py4JNetworkError",
    "PySparkException",
    "PySparkRuntimeError",
    "SparkContext",
    "SparkFiles",
    "SparkSession",
    "StorageLevel",
    "StructType",
    "TopicPartition",
    "Window",
    "confluent_kafka",
    "from_arrow_schema",
    "pa",
    "pc",
]
