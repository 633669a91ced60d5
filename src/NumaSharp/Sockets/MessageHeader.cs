namespace NumaSharp.Sockets;

/// <summary>struct msghdr (sendmsg(2)) of 64-bit Linux.</summary>
internal unsafe struct MessageHeader
{
    public void* Name;
    public uint NameLength;
    public IoVector* Vectors;
    public nuint VectorCount;
    public void* Control;
    public nuint ControlLength;
    public int Flags;
}
