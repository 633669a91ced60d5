namespace NumaSharp.Sockets;

/// <summary>The sizes that options allow for a socket's buffers (SO_RCVBUF, SO_SNDBUF): 0 for the system's, or a range.</summary>
internal static class KernelBuffer
{
    public const int Minimum = 4 << 10;
    public const int Maximum = 512 << 20;

    /// <summary>The allowed sizes, as text to follow "must be".</summary>
    public static string Allowed => $"0 or from {Minimum} to {Maximum}";

    public static bool IsAllowed(int size) => size is 0 or (>= Minimum and <= Maximum);
}
