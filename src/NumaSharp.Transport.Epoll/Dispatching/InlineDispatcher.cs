namespace NumaSharp.Transport.Epoll.Dispatching;

internal sealed class InlineDispatcher : CallbackDispatcher
{
    public override bool IsInline => true;

    public override void Queue(IThreadPoolWorkItem item) => item.Execute();
}
