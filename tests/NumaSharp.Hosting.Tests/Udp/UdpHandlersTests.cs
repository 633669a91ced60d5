using NumaSharp.Hosting.Udp;

namespace NumaSharp.Hosting.Tests.Udp;

public sealed class UdpHandlersTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Handler_OfAListenerThatEnds_IsDisposedOf(bool isAddedAfterwards)
    {
        await AssertDisposedAsync(new Handler(), isAddedAfterwards, static handler => handler.IsDisposed);
        await AssertDisposedAsync(new AsyncHandler(), isAddedAfterwards, static handler => handler.IsDisposed);
    }

    private static async Task AssertDisposedAsync<T>(T handler, bool isAddedAfterwards, Func<T, bool> isDisposed)
        where T : class
    {
        var handlers = new UdpHandlers<T>();
        if (isAddedAfterwards)
        {
            await handlers.DisposeAsync();
        }

        handlers.Add(handler);
        Assert.Equal(isAddedAfterwards, isDisposed(handler));
        await handlers.DisposeAsync();
        Assert.True(isDisposed(handler));
    }

    private sealed class Handler : IDisposable
    {
        public bool IsDisposed { get; private set; }

        public void Dispose() => IsDisposed = true;
    }

    private sealed class AsyncHandler : IAsyncDisposable
    {
        public bool IsDisposed { get; private set; }

        public async ValueTask DisposeAsync()
        {
            await Task.Yield();
            IsDisposed = true;
        }
    }
}
