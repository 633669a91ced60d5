namespace NumaSharp.TestKit;

/// <summary>
/// A thread of ours of which application code has changed all that the thread pool would restore for its own threads.
/// </summary>
public sealed class SpoiltThread
{
    private readonly Thread _thread = Thread.CurrentThread;
    private readonly string? _name = Thread.CurrentThread.Name;

    private SpoiltThread()
    {
        _thread.Priority = ThreadPriority.BelowNormal;
        _thread.IsBackground = false;
        _thread.Name = "spoilt";
    }

    public bool IsRestored => _thread is { Priority: ThreadPriority.Normal, IsBackground: true } && _thread.Name == _name;

    /// <summary>Changes the calling thread.</summary>
    public static SpoiltThread Current() => new();

    public void WaitUntilRestored() => Wait.Until(() => IsRestored, () => $"a thread that is still {_thread.Name}");
}
