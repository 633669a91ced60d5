namespace NumaSharp.Transport.Epoll.Tests.Epoll;

public sealed class ThreadPoolFixture() : EpollFixture(EpollDispatchMode.ThreadPool);
