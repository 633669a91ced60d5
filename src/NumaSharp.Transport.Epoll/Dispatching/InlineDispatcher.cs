namespace NumaSharp.Transport.Epoll.Dispatching;

internal sealed class InlineDispatcher : CallbackDispatcher
{
    public override bool IsInline => true;

    // Which thread that is, the loop knows.
    public override bool IsHome => false;

    public override void Queue(IThreadPoolWorkItem item) => item.Execute();
}
