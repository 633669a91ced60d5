using System.Buffers;
using System.IO.Pipelines;
using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Connections;

namespace NumaSharp.Transport.Epoll.Tests.Connections;

/// <summary>Clients that only wait hold what they have sent, or do not take, and not the blocks that it came in.</summary>
public sealed class LargeBlockSweepTests
{
    private const int Large = 128 << 10;
    private const int Small = 4 << 10;
    private const int Medium = 16 << 10;

    private readonly ManualTime _time = new();
    private readonly FaultyMemoryProvider _memory = new();
    private int _resets;

    [Theory]
    [InlineData(200, Small)]
    [InlineData(6000, 2 * Small)]
    [InlineData(20_000, Medium + Small)]
    public async Task Reader_WaitsWithTheRestOfALargeBlock_HoldsSmallOnes(int rest, int held)
    {
        using var pools = CreatePools();
        await using var pair = await ConnectAsync(pools);
        var expected = await FillLargeBlockAsync(pair, rest);
        var waiting = pair.Input.ReadAsync();
        Assert.False(waiting.IsCompleted);
        Assert.True(RentedBytes(pools) >= Large);

        Sweep(pair);
        Assert.Equal(held, RentedBytes(pools));
        Assert.True(_resets > 0, "The pages of the large block stay.");

        // The reader gets what it had, and what comes behind it.
        await pair.Client.SendAsync(new byte[] { 42 });
        var read = await ReadAsync(pair, waiting).Within("the read");
        Assert.Equal([.. expected, (byte)42], read.Buffer.ToArray());
        pair.Input.AdvanceTo(read.Buffer.End);
    }

    [Fact]
    public async Task Reader_HasTheResultInItsHands_ItsBlocksStay()
    {
        using var pools = CreatePools();
        await using var pair = await ConnectAsync(pools);
        var expected = await FillLargeBlockAsync(pair, 200);
        var waiting = pair.Input.ReadAsync();
        await pair.Client.SendAsync(new byte[] { 42 });
        var read = await ReadAsync(pair, waiting).Within("the read");

        Sweep(pair);
        Assert.Equal([.. expected, (byte)42], read.Buffer.ToArray());
        Assert.True(RentedBytes(pools) >= Large);
        pair.Input.AdvanceTo(read.Buffer.End);
    }

    [Fact]
    public async Task Writer_ClientTakesNothing_HoldsWhatItDoesNotTake()
    {
        using var pools = CreatePools();
        await using var pair = await ConnectAsync(pools);
        var (flush, written) = await WriteUntilBlockedAsync(pair);
        var before = RentedBytes(pools);

        Sweep(pair);
        Sweep(pair);
        Assert.InRange(RentedBytes(pools), 1, before - 1);

        // Not a byte is lost.
        var received = 0L;
        var buffer = new byte[1 << 20];
        while (received < written)
        {
            var count = await pair.Client.ReceiveAsync(buffer).Within("the bytes");
            for (var i = 0; i < count; i++)
            {
                Assert.True(buffer[i] == (byte)((received + i) % 251), $"byte {received + i} is wrong");
            }

            received += count;
        }

        await flush.Within("the flush ends");
        Assert.Equal(written, received);
    }

    private NumaMemoryPools CreatePools()
    {
        _memory.OnAdvise = () =>
        {
            _resets++;
            return NumaResult.Success;
        };
        return new NumaMemoryPools(TestMachines.OneCpu().Plan(), new NumaMemoryPoolsOptions { Memory = _memory });
    }

    private Task<RawPair> ConnectAsync(NumaMemoryPools pools) => RawPair.ConnectAsync(
        new EpollTransportOptions { Dispatch = EpollDispatchMode.Inline, Time = _time },
        new NumaTaskScheduler(new NumaTaskSchedulerOptions { Plan = TestMachines.OneCpu().Plan() }),
        pools);

    private static long RentedBytes(NumaMemoryPools pools) => pools[0].RentedBytes;

    // The timer posts to the loop; what is posted after it comes after it.
    private void Sweep(RawPair pair)
    {
        _time.Advance(LargeBlockSweep.After);
        using var passed = new ManualResetEventSlim();
        pair.Server.Shard.Loop.Post(new Caller(passed.Set));
        Wait.For(passed);
    }

    // Never on the loop's thread, which the test holds.
    private static async Task<ReadResult> ReadAsync(RawPair pair, ValueTask<ReadResult>? begun = null)
    {
        var read = await (begun ?? pair.Input.ReadAsync());
        await Task.Yield();
        return read;
    }

    // Blocks become large with the traffic; of the last one some bytes are left.
    private static async Task<byte[]> FillLargeBlockAsync(RawPair pair, int rest)
    {
        while (true)
        {
            using (new HeldLoop(pair.Server.Shard.Loop))
            {
                await pair.Client.SendAsync(Enumerable.Range(0, Large / 2).Select(static i => (byte)i).ToArray());
                HeldLoop.WaitForUnread(pair.Server, Large / 2);
            }

            var left = Large / 2;
            while (true)
            {
                var read = await ReadAsync(pair);
                var length = read.Buffer.Length;
                if (length == left && length == Large / 2)
                {
                    var kept = read.Buffer.Slice(length - rest);
                    var bytes = kept.ToArray();
                    pair.Input.AdvanceTo(kept.Start, kept.End);
                    return bytes;
                }

                left -= (int)length;
                pair.Input.AdvanceTo(read.Buffer.End);
                if (left == 0)
                {
                    break;
                }
            }
        }
    }

    private static async Task<(Task Flush, long Written)> WriteUntilBlockedAsync(RawPair pair)
    {
        const int Length = Large - 20_000;
        for (var written = 0L; ;)
        {
            var memory = pair.Output.GetMemory(Large);
            for (var i = 0; i < Length; i++)
            {
                memory.Span[i] = (byte)((written + i) % 251);
            }

            pair.Output.Advance(Length);
            written += Length;
            var flush = pair.Output.FlushAsync();
            if (!flush.IsCompleted)
            {
                return (flush.AsTask(), written);
            }

            await flush;
        }
    }
}
