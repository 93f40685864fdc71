from benchmarks.inference import BATCHES, measure


def test_benchmark_reports_each_backend_and_batch_with_its_ratio() -> None:
    rows = measure("quick 6x6", ["onnxruntime", "openvino"], seconds=0.01, rounds=1)
    assert [(row["backend"], row["batch"]) for row in rows] == [
        (backend, batch) for batch in BATCHES for backend in ("onnxruntime", "openvino")
    ]
    assert all(row["ratio_to_onnxruntime"] == 1 for row in rows if row["backend"] == "onnxruntime")
    assert all(row["evaluations_per_second"] > 0 for row in rows)
