using System.Buffers;
using Microsoft.AspNetCore.Connections;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Raw;

/// <summary>The promises of PipeWriter, given by the transport's output.</summary>
public abstract class PipeWriterSuite(TransportFixture transport) : RawSuite(transport)
{
    [Theory]
    [InlineData(1)]
    [InlineData(4096)]
    [InlineData(4097)]
    [InlineData(65537)]
    [InlineData(5_000_000)]
    public async Task FlushAsync_AnySize_EveryByteInOrder(int size)
    {
        await using var connection = await OpenAsync();
        var flush = connection.WritePattern(size);
        await connection.ClientReceivePatternAsync(size);
        Assert.False((await flush.Within()).IsCompleted);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(4096)]
    [InlineData(100_000)]
    [InlineData(1024 * 1024)]
    [InlineData(3_000_000)]
    public async Task GetMemory_AnyHint_AtLeastThatMuchAndItArrives(int hint)
    {
        await using var connection = await OpenAsync();
        connection.Output.Write(Pattern.At(0, 10).Span);
        var memory = connection.Output.GetMemory(hint);
        Assert.InRange(memory.Length, Math.Max(hint, 1), int.MaxValue);
        var used = Math.Min(memory.Length, Math.Max(hint, 1));
        for (var i = 0; i < used; i++)
        {
            memory.Span[i] = (byte)((10 + i) % 251);
        }

        connection.Output.Advance(used);
        connection.Output.Write(Pattern.At(10 + used, 100).Span);
        var flush = connection.Output.FlushAsync();
        await connection.ClientReceivePatternAsync(10 + used + 100);
        await flush.Within();
    }

    [Fact]
    public async Task GetSpan_BiggerAndBiggerWithSmallOnesBetween_Order()
    {
        await using var connection = await OpenAsync();
        var total = 0;
        for (var size = 1; size < 300_000; size = (size * 3) + 1)
        {
            foreach (var count in new[] { size, 7 })
            {
                var span = connection.Output.GetSpan(count);
                for (var i = 0; i < count; i++)
                {
                    span[i] = (byte)((total + i) % 251);
                }

                connection.Output.Advance(count);
                total += count;
            }
        }

        var flush = connection.Output.FlushAsync();
        await connection.ClientReceivePatternAsync(total);
        await flush.Within();
    }

    [Fact]
    public async Task Advance_ZeroAndRepeatedGetMemory_WriteNothing()
    {
        await using var connection = await OpenAsync();
        connection.Output.GetMemory(100);
        connection.Output.Advance(0);
        connection.Output.GetSpan(50_000);
        connection.Output.Advance(0);
        await connection.Output.FlushAsync().Within();
        Pattern.At(0, 5).CopyTo(connection.Output.GetMemory(5));
        connection.Output.Advance(2);
        connection.Output.Advance(3);
        await connection.Output.FlushAsync().Within();
        await connection.ClientReceivePatternAsync(5);
    }

    [Fact]
    public async Task Advance_NegativeOrTooFar_Throws()
    {
        await using var connection = await OpenAsync();
        var length = connection.Output.GetMemory(10).Length;
        Assert.Throws<ArgumentOutOfRangeException>(() => connection.Output.Advance(-1));
        Assert.ThrowsAny<Exception>(() => connection.Output.Advance(length + 1));
        Assert.Throws<ArgumentOutOfRangeException>(() => connection.Output.GetMemory(-1));
    }

    [Fact]
    public async Task UnflushedBytes_WrittenThenFlushed_CountsAndGoesToZero()
    {
        await using var connection = await OpenAsync();
        Assert.True(connection.Output.CanGetUnflushedBytes);
        Assert.Equal(0, connection.Output.UnflushedBytes);
        connection.Output.Write(Pattern.At(0, 10_000).Span);
        Assert.Equal(10_000, connection.Output.UnflushedBytes);
        connection.Output.Write(Pattern.At(10_000, 1).Span);
        Assert.Equal(10_001, connection.Output.UnflushedBytes);
        await connection.Output.FlushAsync().Within();
        Assert.Equal(0, connection.Output.UnflushedBytes);
        await connection.ClientReceivePatternAsync(10_001);
    }

    [Fact]
    public async Task FlushAsync_NothingWritten_CompletesAtOnce()
    {
        await using var connection = await OpenAsync();
        for (var i = 0; i < 3; i++)
        {
            var flush = connection.Output.FlushAsync();
            Assert.True(flush.IsCompletedSuccessfully);
            var result = await flush;
            Assert.False(result.IsCompleted);
            Assert.False(result.IsCanceled);
        }
    }

    [Fact]
    public async Task FlushAsync_ClientDoesNotRead_WaitsUntilItDoes()
    {
        await using var connection = await OpenSmallAsync();
        var flush = connection.WritePattern(MoreThanKernelTakes);
        Assert.False(flush.IsCompleted);
        await connection.ClientReceivePatternAsync(MoreThanKernelTakes);
        var result = await flush.Within();
        Assert.False(result.IsCompleted);
        Assert.False(result.IsCanceled);
    }

    [Fact]
    public async Task FlushAsync_NoWriteLimit_NeverWaits()
    {
        await using var connection = await OpenSmallAsync(new TransportLimits { MaxWriteBufferSize = null });
        var flush = connection.WritePattern(MoreThanKernelTakes);
        Assert.True(flush.IsCompletedSuccessfully);
        Assert.False((await flush).IsCompleted);
        await connection.ClientReceivePatternAsync(MoreThanKernelTakes);
    }

    [Fact]
    public async Task CancelPendingFlush_WhileWaiting_CanceledAndNothingIsLost()
    {
        await using var connection = await OpenSmallAsync();
        var flush = connection.WritePattern(MoreThanKernelTakes);
        Assert.False(flush.IsCompleted);
        connection.Output.CancelPendingFlush();
        Assert.True((await flush.Within()).IsCanceled);
        await connection.ClientReceivePatternAsync(MoreThanKernelTakes);
        Assert.False((await connection.Output.FlushAsync().Within()).IsCanceled);
    }

    [Fact]
    public async Task FlushAsync_TokenCanceledWhileWaiting_ThrowsAndNothingIsLost()
    {
        await using var connection = await OpenSmallAsync();
        using var cancellation = new CancellationTokenSource();
        connection.Output.Write(new byte[MoreThanKernelTakes]);
        var flush = connection.Output.FlushAsync(cancellation.Token);
        Assert.False(flush.IsCompleted);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => flush.Within());
        for (var left = MoreThanKernelTakes; left > 0; left -= Pattern.LongestPiece)
        {
            await connection.Client.ReceiveExactlyAsync(Pattern.LongestPiece);
        }
    }

    [Fact]
    public async Task Complete_DataUnflushed_ArrivesBeforeTheEnd()
    {
        await using var connection = await OpenAsync();
        connection.Output.Write(Pattern.At(0, 60_000).Span);
        await connection.Output.CompleteAsync();
        await connection.ClientReceivePatternAsync(60_000);
        Assert.Empty(await connection.Client.ReceiveToEndAsync());
    }

    [Fact]
    public async Task Complete_DataStillUnsent_ArrivesBeforeTheEnd()
    {
        await using var connection = await OpenSmallAsync();
        var flush = connection.WritePattern(MoreThanKernelTakes);
        await connection.Output.CompleteAsync();
        await connection.ClientReceivePatternAsync(MoreThanKernelTakes);
        Assert.Empty(await connection.Client.ReceiveToEndAsync());
        await flush.Within();
    }

    [Fact]
    public async Task Complete_ThenWrite_Throws()
    {
        await using var connection = await OpenAsync();
        await connection.Output.CompleteAsync();
        Assert.Throws<InvalidOperationException>(() => connection.Output.GetMemory());
        await connection.Output.CompleteAsync();
    }

    [Fact]
    public async Task FlushAsync_PeerReset_CompletedAndWritesGoNowhere()
    {
        await using var connection = await OpenAsync();
        connection.Client.Reset();
        await connection.Server.ConnectionClosed.Within("the reset is seen");
        await Wait.UntilAsync(async () => (await connection.WritePattern(1).Within()).IsCompleted);
        for (var i = 0; i < 100; i++)
        {
            Assert.True((await connection.WritePattern(10_000).Within()).IsCompleted);
        }
    }

    [Fact]
    public async Task FlushAsync_PeerResetWhileWaiting_Ends()
    {
        await using var connection = await OpenSmallAsync();
        var flush = connection.WritePattern(MoreThanKernelTakes);
        Assert.False(flush.IsCompleted);
        connection.Client.Reset();
        Assert.True((await flush.Within("the waiting flush ends")).IsCompleted);
    }

    [Fact]
    public async Task FlushAsync_FromManyThreadsInTurn_Order()
    {
        await using var connection = await OpenAsync();
        var receive = connection.ClientReceivePatternAsync(1_000_000);
        for (var position = 0; position < 1_000_000; position += 1000)
        {
            var start = position;
            await Task.Run(async () =>
            {
                connection.Output.Write(Pattern.At(start, 1000).Span);
                await connection.Output.FlushAsync();
            });
        }

        await receive;
    }

    [Fact]
    public async Task FlushAsync_WhileTheOtherDirectionIsBusy_NothingLost()
    {
        const int Size = 4_000_000;
        await using var connection = await OpenSmallAsync();
        var flush = connection.WritePattern(Size);
        await Task.WhenAll(
            connection.ClientSendPatternAsync(Size),
            connection.ReadPatternAsync(Size),
            connection.ClientReceivePatternAsync(Size),
            flush.Within());
    }
}
