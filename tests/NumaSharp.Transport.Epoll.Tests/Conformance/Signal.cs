namespace NumaSharp.Transport.Epoll.Tests.Conformance;

/// <summary>Something that a test waits for.</summary>
internal sealed class Signal
{
    private readonly TaskCompletionSource _source = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public Task Task => _source.Task;

    public bool IsSet => _source.Task.IsCompleted;

    public void Set() => _source.TrySetResult();
}
