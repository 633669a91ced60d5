namespace NumaSharp.Transport.Epoll.Tests.Epoll;

public sealed class InlineFixture() : EpollFixture(EpollDispatchMode.Inline);
