namespace NumaSharp.Playground.Benchmarks.Reporting;

/// <summary>
/// The file of --json. It is emptied at the start: that proves that it can be written before minutes are spent, and a run
/// that fails leaves no older result that looks like its own.
/// </summary>
internal sealed class ResultFile : IDisposable
{
    private readonly FileStream _stream;

    public ResultFile(FileInfo file)
    {
        try
        {
            _stream = file.Create();
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            throw new BenchmarkException($"--json {file}: {failure.Message}");
        }
    }

    public void Write(BenchmarkResult result) => BenchmarkJson.Write(_stream, result);

    public void Dispose() => _stream.Dispose();
}
