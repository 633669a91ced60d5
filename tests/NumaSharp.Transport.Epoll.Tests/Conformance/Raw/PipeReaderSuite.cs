using System.Buffers;
using System.Text;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Raw;

/// <summary>The promises of PipeReader, given by the transport's input.</summary>
public abstract class PipeReaderSuite(TransportFixture transport) : RawSuite(transport)
{
    [Fact]
    public async Task ReadAsync_DataArrives_GivesIt()
    {
        await using var connection = await OpenAsync();
        var pending = connection.Input.ReadAsync();
        await connection.Client.SendAsync("hello");
        var read = await pending.Within();
        Assert.Equal("hello", Text(read.Buffer));
        Assert.False(read.IsCompleted);
        Assert.False(read.IsCanceled);
        connection.Input.AdvanceTo(read.Buffer.End);
    }

    [Fact]
    public async Task AdvanceTo_AllExaminedNothingConsumed_NextReadWaitsAndGivesBoth()
    {
        await using var connection = await OpenAsync();
        await connection.Client.SendAsync("hello");
        var first = await connection.PeekAsync(5);
        connection.Input.AdvanceTo(first.Start, first.End);
        var pending = connection.Input.ReadAsync();
        Assert.False(pending.IsCompleted);
        await connection.Client.SendAsync(" you");
        var second = await pending.Within();
        Assert.StartsWith("hello ", Text(second.Buffer), StringComparison.Ordinal);
        connection.Input.AdvanceTo(second.Buffer.End);
    }

    [Fact]
    public async Task AdvanceTo_NotAllExamined_NextReadGivesTheRestAtOnce()
    {
        await using var connection = await OpenAsync();
        await connection.Client.SendAsync("hello");
        var first = await connection.PeekAsync(5);
        connection.Input.AdvanceTo(first.GetPosition(2), first.GetPosition(4));
        var pending = connection.Input.ReadAsync();
        Assert.True(pending.IsCompletedSuccessfully);
        var second = await pending;
        Assert.Equal("llo", Text(second.Buffer));
        connection.Input.AdvanceTo(second.Buffer.End);
    }

    [Fact]
    public async Task AdvanceTo_ConsumedOnly_IsExaminedToThere()
    {
        await using var connection = await OpenAsync();
        await connection.Client.SendAsync("hello");
        var buffer = await connection.PeekAsync(5);
        for (var left = 5; left > 0; left--)
        {
            Assert.Equal("hello"[^left..], Text(buffer));
            connection.Input.AdvanceTo(buffer.GetPosition(1));
            if (left > 1)
            {
                buffer = (await connection.Input.ReadAsync().Within()).Buffer;
            }
        }

        Assert.False(connection.Input.TryRead(out _));
    }

    [Fact]
    public async Task AdvanceTo_AcrossBlocks_EveryPositionHolds()
    {
        const int Size = 300_000;
        await using var connection = await OpenAsync();
        var send = connection.ClientSendPatternAsync(Size);
        var buffer = await connection.PeekAsync(Size);
        await send;
        var position = 0L;
        var step = 1;
        while (position < Size)
        {
            Pattern.Verify(buffer, position);
            step = Math.Min(step * 3, 50_000);
            var consumed = Math.Min(step, buffer.Length);
            connection.Input.AdvanceTo(buffer.GetPosition(consumed));
            position += consumed;
            if (position < Size)
            {
                buffer = (await connection.Input.ReadAsync().Within()).Buffer;
                Assert.Equal(Size - position, buffer.Length);
            }
        }
    }

    [Fact]
    public async Task ReadAsync_ExaminedBeyondTheReadLimit_KeepsGoing()
    {
        const int Size = 1024 * 1024;
        await using var connection = await OpenAsync(new TransportLimits { MaxReadBufferSize = 64 * 1024 });
        var send = connection.ClientSendPatternAsync(Size);
        var buffer = await connection.PeekAsync(Size);
        await send;
        Pattern.Verify(buffer, 0);
        connection.Input.AdvanceTo(buffer.End);
    }

    [Fact]
    public async Task TryRead_NothingThere_FalseAndNothingToAdvance()
    {
        await using var connection = await OpenAsync();
        Assert.False(connection.Input.TryRead(out var read));
        Assert.True(read.Buffer.IsEmpty);
        await connection.Client.SendAsync("hello");
        var buffer = await connection.PeekAsync(5);
        connection.Input.AdvanceTo(buffer.Start, buffer.GetPosition(1));
        Assert.True(connection.Input.TryRead(out read));
        Assert.Equal("hello", Text(read.Buffer));
        connection.Input.AdvanceTo(read.Buffer.Start, read.Buffer.End);
        Assert.False(connection.Input.TryRead(out _));
    }

    [Fact]
    public async Task CancelPendingRead_WhileWaiting_CanceledOnceAndEmpty()
    {
        await using var connection = await OpenAsync();
        var pending = connection.Input.ReadAsync();
        connection.Input.CancelPendingRead();
        var canceled = await pending.Within();
        Assert.True(canceled.IsCanceled);
        Assert.True(canceled.Buffer.IsEmpty);
        connection.Input.AdvanceTo(canceled.Buffer.Start, canceled.Buffer.End);
        var next = connection.Input.ReadAsync();
        Assert.False(next.IsCompleted);
        await connection.Client.SendAsync("hello");
        var read = await next.Within();
        Assert.False(read.IsCanceled);
        Assert.False(read.Buffer.IsEmpty);
        connection.Input.AdvanceTo(read.Buffer.End);
    }

    [Fact]
    public async Task CancelPendingRead_BeforeTheRead_NextReadIsCanceledAndKeepsTheData()
    {
        await using var connection = await OpenAsync();
        await connection.Client.SendAsync("hello");
        var buffer = await connection.PeekAsync(5);
        connection.Input.AdvanceTo(buffer.Start, buffer.End);
        connection.Input.CancelPendingRead();
        var canceled = await connection.Input.ReadAsync().Within();
        Assert.True(canceled.IsCanceled);
        Assert.Equal("hello", Text(canceled.Buffer));
        connection.Input.AdvanceTo(canceled.Buffer.Start, canceled.Buffer.End);
        Assert.False(connection.Input.TryRead(out _));
    }

    [Fact]
    public async Task ReadAsync_TokenCanceled_ThrowsAndTheNextReadWorks()
    {
        await using var connection = await OpenAsync();
        using var cancellation = new CancellationTokenSource();
        var pending = connection.Input.ReadAsync(cancellation.Token);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => pending.Within());
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => connection.Input.ReadAsync(cancellation.Token).Within());
        await connection.Client.SendAsync("hello");
        Assert.Equal("hello", Text(await connection.PeekAsync(5)));
    }

    [Fact]
    public async Task AdvanceTo_WithoutARead_Throws()
    {
        await using var connection = await OpenAsync();
        await connection.Client.SendAsync("hello");
        var buffer = await connection.PeekAsync(5);
        connection.Input.AdvanceTo(buffer.End);
        Assert.Throws<InvalidOperationException>(() => connection.Input.AdvanceTo(buffer.End));
    }

    [Fact]
    public async Task AdvanceTo_AgainAfterTheSameRead_Throws()
    {
        await using var connection = await OpenAsync();
        await connection.Client.SendAsync("hello");
        var buffer = await connection.PeekAsync(5);
        connection.Input.AdvanceTo(buffer.GetPosition(2));
        Assert.Throws<InvalidOperationException>(() => connection.Input.AdvanceTo(buffer.GetPosition(3)));
    }

    [Fact]
    public async Task AdvanceTo_ConsumedBeyondExamined_Throws()
    {
        await using var connection = await OpenAsync();
        await connection.Client.SendAsync("hello");
        var buffer = await connection.PeekAsync(5);
        Assert.Throws<InvalidOperationException>(
            () => connection.Input.AdvanceTo(buffer.GetPosition(3), buffer.GetPosition(2)));
    }

    [Fact]
    public async Task ReadAsync_AfterFin_RestThenCompletedAgainAndAgain()
    {
        await using var connection = await OpenAsync();
        await connection.ClientSendPatternAsync(100_000);
        connection.Client.EndSending();
        await connection.ReadPatternAsync(100_000);
        for (var i = 0; i < 3; i++)
        {
            var read = await connection.Input.ReadAsync().Within("the end");
            Assert.True(read.IsCompleted);
            Assert.True(read.Buffer.IsEmpty);
            connection.Input.AdvanceTo(read.Buffer.End);
        }
    }

    [Fact]
    public async Task ReadAsync_AfterFinWithoutData_CompletedAndEmptyCanBeAdvanced()
    {
        await using var connection = await OpenAsync();
        connection.Client.EndSending();
        var read = await connection.Input.ReadAsync().Within("the end");
        Assert.True(read.IsCompleted);
        Assert.True(read.Buffer.IsEmpty);
        connection.Input.AdvanceTo(read.Buffer.Start, read.Buffer.End);
    }

    [Fact]
    public async Task Complete_ThenReadAsync_Throws()
    {
        await using var connection = await OpenAsync();
        await connection.Input.CompleteAsync();
        await Assert.ThrowsAsync<InvalidOperationException>(() => connection.Input.ReadAsync().Within());
        Assert.Throws<InvalidOperationException>(() => connection.Input.TryRead(out _));
        await connection.Input.CompleteAsync();
    }

    [Fact]
    public async Task Complete_WithDataUnread_OutputStillWorks()
    {
        await using var connection = await OpenAsync();
        await connection.Client.SendAsync("hello");
        var buffer = await connection.PeekAsync(5);
        connection.Input.AdvanceTo(buffer.Start);
        await connection.Input.CompleteAsync();
        await connection.Client.SendAsync("more");
        Assert.False((await connection.WritePattern(100_000).Within()).IsCompleted);
        await connection.ClientReceivePatternAsync(100_000);
    }

    [Fact]
    public async Task CopyToAsync_Stream_EveryByteUpToFin()
    {
        const int Size = 3_000_000;
        await using var connection = await OpenAsync();
        var send = connection.ClientSendPatternAsync(Size);
        var copy = Pattern.VerifyAsync(connection.Input.AsStream());
        await send;
        connection.Client.EndSending();
        Assert.Equal(Size, await copy);
    }

    private static string Text(in ReadOnlySequence<byte> bytes) => Encoding.ASCII.GetString(bytes);
}
