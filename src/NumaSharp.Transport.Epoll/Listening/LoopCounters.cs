using System.Runtime.InteropServices;

namespace NumaSharp.Transport.Epoll.Listening;

/// <summary>What happened on one loop. On cache lines of its own: other loops write theirs at the same time.</summary>
internal sealed class LoopCounters
{
    private Lines _lines;

    public long Accepted => Volatile.Read(ref _lines.Accepted);

    public long AcceptErrors => Volatile.Read(ref _lines.AcceptErrors);

    public long Active => Volatile.Read(ref _lines.Active);

    public long BytesReceived => Volatile.Read(ref _lines.BytesReceived);

    public long BytesSent => Volatile.Read(ref _lines.BytesSent);

    public void OnOpened()
    {
        Interlocked.Increment(ref _lines.Accepted);
        Interlocked.Increment(ref _lines.Active);
    }

    public void OnClosed() => Interlocked.Decrement(ref _lines.Active);

    public void OnAcceptError() => Interlocked.Increment(ref _lines.AcceptErrors);

    public void OnReceived(int bytes) => Interlocked.Add(ref _lines.BytesReceived, bytes);

    public void OnSent(int bytes) => Interlocked.Add(ref _lines.BytesSent, bytes);

    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private struct Lines
    {
        [FieldOffset(64)]
        public long Accepted;

        [FieldOffset(72)]
        public long AcceptErrors;

        [FieldOffset(80)]
        public long Active;

        [FieldOffset(128)]
        public long BytesReceived;

        [FieldOffset(136)]
        public long BytesSent;
    }
}
