# Copyright (c) 2026, kafkaops.groups contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The pods of executors that Spark requests from Kubernetes with the example of the guide, without a cluster."""

from __future__ import annotations

from typing import Any

import yaml
from pyspark.java_gateway import launch_gateway

from tests.checks.examples import blocks

AUDIT = "kafkaops.groups.consumer_offsets_audit"
PORT = 7078


def example() -> dict[str, Any]:
    """The options of the audit on Kubernetes in the guide."""
    [found] = [
        task[AUDIT]
        for block in blocks()
        if AUDIT in block.text and "master: k8s://" in block.text
        for task in yaml.safe_load(block.text)
    ]
    return dict(found)


def rendered(properties: dict[str, str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The pod of an executor and its container, made by the classes of Spark that also make those of real clusters."""
    start: Any = launch_gateway
    gateway = start()
    try:
        java = gateway.jvm

        def instance(name: str) -> Any:
            """The instance of an object of Scala."""
            return getattr(getattr(java, f"{name}$"), "MODULE$")

        conf, spark, nothing = java.org.apache.spark.SparkConf(False), java.org.apache.spark, java.scala.Option.empty()
        for name, value in properties.items():
            conf.set(name, value)
        secret = instance("org.apache.spark.internal.config.package").AUTH_SECRET_FILE()
        profile = instance("org.apache.spark.resource.ResourceProfile").getOrCreateDefaultProfile(conf)
        made = spark.scheduler.cluster.k8s.KubernetesExecutorBuilder().buildFromFeatures(
            spark.deploy.k8s.KubernetesConf.createExecutorConf(conf, "1", "application", nothing, profile.id()),
            spark.SecurityManager(conf, nothing, secret),
            java.io.fabric8.kubernetes.client.KubernetesClientBuilder().build(),
            profile,
        )
        text = java.io.fabric8.kubernetes.client.utils.Serialization.asYaml
        return yaml.safe_load(text(made.pod().pod())), yaml.safe_load(text(made.pod().container()))
    finally:
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(60)


def test_the_pods_of_the_guide() -> None:
    given = example()
    conf = {name: str(value) for name, value in given["spark_conf"].items()}
    # what Spark adds to the options of the guide when its driver has started
    started = {"spark.app.name": "kafkaops.groups audit", "spark.driver.port": str(PORT)}
    pod, container = rendered({"spark.master": given["master"], **started, **conf})
    environment = {each["name"]: each.get("value") for each in container["env"]}
    assert pod["metadata"]["labels"]["spark-role"] == "executor"
    # the account of a driver is that of its pod or kubeconfig in client mode
    assert "spark.kubernetes.authenticate.driver.serviceAccountName" not in conf
    assert pod["spec"]["serviceAccountName"] == "kafka-audit"
    assert container["image"] == conf["spark.kubernetes.container.image"]
    assert environment["SPARK_DRIVER_URL"].endswith(f"@{conf['spark.driver.host']}:{PORT}")
    # the folder of the output is the same for all
    [volume] = [each for each in pod["spec"]["volumes"] if "nfs" in each]
    [mount] = [each for each in container["volumeMounts"] if each["name"] == volume["name"]]
    assert volume["nfs"] == {"server": "nfs.example.com", "path": "/shared"}
    assert given["output"].startswith(f"{mount['mountPath']}/")
    assert not mount["readOnly"]
    # the Python of the executor is in the pod's memory, and not in that of Java
    requested = int(container["resources"]["requests"]["memory"].removesuffix("Mi"))
    assert requested == 4096 + 1024
    assert environment["SPARK_EXECUTOR_MEMORY"] == "4096m"
