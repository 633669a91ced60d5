namespace NumaSharp.Transport.Epoll.Tests.Epoll;

public sealed class AdaptiveFixture() : EpollFixture(EpollDispatchMode.Adaptive);
