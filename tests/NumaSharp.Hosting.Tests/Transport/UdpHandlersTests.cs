using NumaSharp.Hosting.Transport;

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

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task DisposeAsync_HandlersThrow_TheOthersAreDisposedOf(int throwing)
    {
        var handlers = new UdpHandlers<AsyncHandler>();
        AsyncHandler[] all = [.. Enumerable.Range(0, 3).Select(i => new AsyncHandler { Throws = i < throwing })];
        Array.ForEach(all, handlers.Add);
        var exception = await Assert.ThrowsAnyAsync<Exception>(() => handlers.DisposeAsync().AsTask());
        Assert.All(all, static handler => Assert.True(handler.IsDisposed));
        Assert.Equal(throwing, exception is AggregateException several ? several.InnerExceptions.Count : 1);
        await handlers.DisposeAsync();
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

        public bool Throws { get; init; }

        public async ValueTask DisposeAsync()
        {
            await Task.Yield();
            IsDisposed = true;
            if (Throws)
            {
                throw new InvalidOperationException("the handler's own");
            }
        }
    }
}
