using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Benchmarks.Tests.Measurement;

public sealed class OwnThreadTests
{
    [Fact]
    public async Task RunAsync_WorkThatAwaits_StaysOnOneThreadThatIsNotThePools()
    {
        var threads = new HashSet<(Thread Thread, bool IsPools)>();

        await OwnThread.RunAsync(async () =>
        {
            threads.Add((Thread.CurrentThread, Thread.CurrentThread.IsThreadPoolThread));
            await Task.Yield();
            threads.Add((Thread.CurrentThread, Thread.CurrentThread.IsThreadPoolThread));
            await Task.Delay(TimeSpan.FromMilliseconds(1), TestContext.Current.CancellationToken);
            threads.Add((Thread.CurrentThread, Thread.CurrentThread.IsThreadPoolThread));
        });

        Assert.False(Assert.Single(threads).IsPools);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task RunAsync_WorkThatFails_FailsSo(bool isAsynchronous) =>
        await Assert.ThrowsAsync<NotSupportedException>(() => OwnThread.RunAsync(async () =>
        {
            if (isAsynchronous)
            {
                await Task.Yield();
            }

            throw new NotSupportedException();
        }));
}
