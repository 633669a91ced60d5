namespace NumaSharp.TestKit;

/// <summary>
/// Holds threads up until the test opens it. Disposing of it opens it: a test that fails before leaves no thread waiting, which
/// could not be ended.
/// </summary>
public sealed class Gate : IDisposable
{
    private readonly ManualResetEventSlim _isOpen = new();

    public bool IsOpen => _isOpen.IsSet;

    public void Open() => _isOpen.Set();

    /// <summary>Without a limit, for code that the test holds up. The test itself waits with <see cref="Wait"/>.</summary>
    public void Pass() => _isOpen.Wait();

    // The event stays: a thread that is still on its way to it must find it open.
    public void Dispose() => Open();
}
