namespace NumaSharp.Playground.Benchmarks.Results;

/// <summary>
/// The folder of the results. New ones are made in a draft beside it, which takes its place when it is complete. Until then, and
/// if that never happens, the old results stay as they are.
/// </summary>
internal sealed class ResultFolder : IDisposable
{
    private readonly string _path;
    private bool _isKept;

    private ResultFolder(string path, string draft) => (_path, Draft) = (path, draft);

    /// <summary>Where the new results are written.</summary>
    public string Draft { get; }

    /// <summary>
    /// Makes the draft, which proves before anything is measured that the folder can be written. Fails if the folder has what is
    /// no result: that would be lost.
    /// </summary>
    public static ResultFolder Begin(string path)
    {
        var full = Path.TrimEndingDirectorySeparator(Path.GetFullPath(path));
        try
        {
            if (File.Exists(full))
            {
                throw new BenchmarkException($"{full} is a file; results need a folder");
            }

            if (Directory.Exists(full) && FindForeign(full) is { } foreign)
            {
                throw new BenchmarkException($"{full} has '{foreign}', which is no result: name a folder of its own");
            }

            var draft = Path.Combine(
                Path.GetDirectoryName(full)!, $".{Path.GetFileName(full)}-{Path.GetRandomFileName()}");
            Directory.CreateDirectory(draft);
            return new ResultFolder(full, draft);
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            throw new BenchmarkException($"{full}: {failure.Message}");
        }
    }

    /// <summary>The draft stays, whatever happens next: what is in it took long to measure.</summary>
    public void Keep() => _isKept = true;

    /// <summary>The draft takes the folder's place.</summary>
    public void Replace()
    {
        var old = $"{Draft}-old";
        var hasOld = Directory.Exists(_path);
        try
        {
            if (hasOld)
            {
                Directory.Move(_path, old);
            }

            Directory.Move(Draft, _path);
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            Keep();
            if (Directory.Exists(old))
            {
                Directory.Move(old, _path);
            }

            throw new BenchmarkException($"{_path} cannot be replaced: {failure.Message}; the new results are in {Draft}");
        }

        if (hasOld)
        {
            Directory.Delete(old, recursive: true);
        }
    }

    public void Dispose()
    {
        if (!_isKept && Directory.Exists(Draft))
        {
            Directory.Delete(Draft, recursive: true);
        }
    }

    private static string? FindForeign(string folder) => Directory.EnumerateFileSystemEntries(folder)
        .Select(static entry => Path.GetFileName(entry))
        .FirstOrDefault(static name => !ResultPages.FileNames.Contains(name));
}
