namespace NumaSharp.Transport.Epoll.Dispatching;

internal sealed class InlineDispatcher : CallbackDispatcher
{
    public override bool IsInline => true;

    // The loop knows which thread that is.
    public override bool IsHome => false;

    public override void Queue(IThreadPoolWorkItem item) => item.Execute();
}
