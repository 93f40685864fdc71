from benchmarks.inference import BATCHES, measure


def test_benchmark_reports_each_backend_and_batch_with_its_ratio() -> None:
    rows = measure("quick 6x6", ["onnxruntime", "openvino"], seconds=0.01, rounds=1)
    variants = [("onnxruntime", "f32"), ("onnxruntime", "int8"), ("openvino", "f32")]
    found = [(row["backend"], row["precision"], row["batch"]) for row in rows if row["precision"] != "bf16"]
    assert found == [(*variant, batch) for batch in BATCHES for variant in variants]
    reference = [row for row in rows if (row["backend"], row["precision"]) == variants[0]]
    assert all(row["ratio_to_onnxruntime"] == 1 for row in reference)
    assert all(row["latency_ms"] > 0 for row in rows)
    assert all(row["evaluations_per_second"] > 0 for row in rows)
