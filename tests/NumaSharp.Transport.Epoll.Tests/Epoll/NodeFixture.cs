namespace NumaSharp.Transport.Epoll.Tests.Epoll;

public sealed class NodeFixture() : EpollFixture(EpollDispatchMode.Node);
