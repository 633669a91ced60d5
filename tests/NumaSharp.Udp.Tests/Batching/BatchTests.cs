using System.Net;
using System.Runtime.CompilerServices;

namespace NumaSharp.Udp.Tests.Batches;

public sealed class BatchTests : IDisposable
{
    private static readonly byte[] s_one = new IPEndPoint(IPAddress.Loopback, 1).Serialize().Buffer.ToArray()[..16];
    private static readonly byte[] s_other = new IPEndPoint(IPAddress.Loopback, 2).Serialize().Buffer.ToArray()[..16];

    private readonly UdpMachine _machine = new();
    private readonly NumaDatagramBatch _batch;

    public BatchTests() => _batch = _machine.NewBatch(capacity: 3);

    public void Dispose()
    {
        _batch.Dispose();
        _machine.Dispose();
    }

    [Fact]
    public void TryAdd_OfOneLengthToOnePeer_IsOneMessage()
    {
        Add(s_one, 100);
        Add(s_one, 100);
        Add(s_one, 40);
        Assert.Equal((1, 3), (_batch.MessageCount, _batch.Count));

        // A shorter one is the last.
        Add(s_one, 40);
        Assert.Equal((2, 4), (_batch.MessageCount, _batch.Count));
        Add(s_other, 40);
        Assert.Equal((3, 5), (_batch.MessageCount, _batch.Count));
        Assert.False(_batch.TryAdd(s_one, new byte[1]));
        Assert.False(_batch.TryAdd(s_other, new byte[41]));
        Assert.Equal([100, 100, 40, 40, 40], LengthsOf(_batch));
        Assert.Equal([1, 1, 1, 1, 2], PortsOf(_batch));

        _batch.Clear();
        Assert.Equal((0, 0), (_batch.MessageCount, _batch.Count));
        Assert.Empty(LengthsOf(_batch));
    }

    [Theory]
    [InlineData(100, true, 1)]
    [InlineData(1472, true, 1)]
    [InlineData(1473, true, 3)]
    [InlineData(100, false, 3)]
    public unsafe void TryAppendInPlace_ApartFromEachOther_SmallOnesAreJoined(int size, bool joins, int messages)
    {
        // As a handler's batch has them: each in a slot of its own.
        var slots = GC.AllocateArray<byte>(3 * 8192, pinned: true);
        new Random(size).NextBytes(slots);
        for (var i = 0; i < 3; i++)
        {
            Assert.True(_batch.TryAppendInPlace(s_one, [], (byte*)Unsafe.AsPointer(ref slots[i * 8192]), size, joins));
        }

        Assert.Equal((messages, 3), (_batch.MessageCount, _batch.Count));
        var index = 0;
        foreach (var datagram in _batch)
        {
            Assert.Equal(slots.AsSpan(index++ * 8192, size), datagram.Payload);
        }

        Assert.Equal(3, index);
    }

    [Fact]
    public unsafe void TryAppendInPlace_OfAnotherLengthOrToAnotherPeer_IsNotJoined()
    {
        var slots = GC.AllocateArray<byte>(3 * 1024, pinned: true);
        var start = (byte*)Unsafe.AsPointer(ref slots[0]);
        Assert.True(_batch.TryAppendInPlace(s_one, [], start, 100, joins: true));
        Assert.True(_batch.TryAppendInPlace(s_one, [], start + 1024, 101, joins: true));
        Assert.True(_batch.TryAppendInPlace(s_other, [], start + 2048, 101, joins: true));
        Assert.Equal([100, 101, 101], LengthsOf(_batch));
        Assert.Equal([1, 1, 2], PortsOf(_batch));
        Assert.Equal(3, _batch.MessageCount);
    }

    [Theory]
    [InlineData(1000, 64)]
    [InlineData(1024, 63)]
    [InlineData(65_507, 1)]
    [InlineData(32_753, 2)]
    [InlineData(32_754, 1)]
    [InlineData(0, 1)]
    public void TryAdd_MoreThanTheKernelTakesAsOne_BeginsAnother(int size, int atOnce)
    {
        for (var i = 0; i < atOnce; i++)
        {
            Add(s_one, size);
        }

        Assert.Equal(1, _batch.MessageCount);
        Add(s_one, size);
        Assert.Equal((2, atOnce + 1), (_batch.MessageCount, _batch.Count));
    }

    [Fact]
    public void TryAdd_BytesOfEach_StayAsTheyWere()
    {
        var datagrams = Enumerable.Range(0, 150).Select(static i => UdpMachine.Bytes(i < 149 ? 33 : 12, seed: i)).ToArray();
        Assert.All(datagrams, datagram => Assert.True(_batch.TryAdd(s_one, datagram)));
        var seen = new List<byte[]>();
        foreach (var datagram in _batch)
        {
            seen.Add(datagram.Payload.ToArray());
        }

        Assert.Equal(datagrams, seen);
    }

    [Fact]
    public void TryAdd_AfterAnEmptyDatagram_LeavesThatAlone()
    {
        Assert.True(_batch.TryAddSegments(s_one, [], segmentSize: 100));
        Add(s_one, 50);
        Assert.Equal((2, 2), (_batch.MessageCount, _batch.Count));
        Assert.Equal([0, 50], LengthsOf(_batch));
    }

    [Fact]
    public void WrongArguments_AreRefused()
    {
        using var empty = _machine.NewBatch(capacity: 1);
        Assert.Throws<ArgumentOutOfRangeException>(() => _machine.NewBatch(capacity: 0));
        Assert.Throws<ArgumentOutOfRangeException>(() => _machine.NewBatch(capacity: 1025));
        Assert.Throws<ArgumentNullException>(() => new NumaDatagramBatch(null!));
        Assert.Throws<ArgumentOutOfRangeException>(() => empty.TryAdd(s_one, new byte[65_508]));
        Assert.Throws<ArgumentOutOfRangeException>(() => empty.TryAdd(new byte[33], new byte[1]));
        Assert.Throws<ArgumentOutOfRangeException>(() => empty.TryAddSegments(s_one, new byte[65], segmentSize: 1));
        Assert.Throws<ArgumentOutOfRangeException>(() => empty.TryAddSegments(s_one, new byte[65], segmentSize: 0));
        Assert.True(empty.TryAddSegments(s_one, new byte[64], segmentSize: 1));
        Assert.Equal(64, empty.Count);
    }

    [Fact]
    public void Datagram_AfterItsBatch_IsGone()
    {
        Add(s_one, 10);
        var enumerator = _batch.GetEnumerator();
        Assert.True(enumerator.MoveNext());
        var datagram = enumerator.Current;
        Assert.Equal(10, datagram.Payload.Length);
        _batch.Clear();
        AssertGone(datagram);
        var isStale = false;
        try
        {
            enumerator.MoveNext();
        }
        catch (InvalidOperationException)
        {
            isStale = true;
        }

        Assert.True(isStale);
    }

    [Fact]
    public void Batch_Disposed_SaysSo()
    {
        var batch = _machine.NewBatch();
        batch.Dispose();
        batch.Dispose();
        Assert.Throws<ObjectDisposedException>(() => batch.TryAdd(s_one, new byte[1]));
        Assert.Throws<ObjectDisposedException>(batch.Clear);
        Assert.Throws<ObjectDisposedException>(() => batch.GetEnumerator());
    }

    private void Add(byte[] address, int size) => Assert.True(_batch.TryAdd(address, new byte[size]));

    private static void AssertGone(Datagram datagram)
    {
        try
        {
            _ = datagram.Payload;
        }
        catch (InvalidOperationException exception)
        {
            Assert.Contains("is gone", exception.Message, StringComparison.Ordinal);
            return;
        }

        Assert.Fail("The bytes of another datagram were given out.");
    }

    private static List<int> LengthsOf(NumaDatagramBatch batch)
    {
        var lengths = new List<int>();
        foreach (var datagram in batch)
        {
            lengths.Add(datagram.Length);
        }

        return lengths;
    }

    private static List<int> PortsOf(NumaDatagramBatch batch)
    {
        var ports = new List<int>();
        foreach (var datagram in batch)
        {
            ports.Add(datagram.GetRemoteEndPoint().Port);
        }

        return ports;
    }
}
