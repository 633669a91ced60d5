namespace NumaSharp.Sockets;

/// <summary>struct iovec (readv(2)).</summary>
internal unsafe struct IoVector
{
    public byte* Base;
    public nuint Length;
}
