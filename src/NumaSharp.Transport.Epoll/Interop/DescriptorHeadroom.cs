using NumaSharp.Interop;

namespace NumaSharp.Transport.Epoll.Interop;

/// <summary>
/// The descriptors that connections must leave to the rest of the process. The runtime needs two for every thread it starts, and
/// ends the process when the thread pool cannot start one. The kernel assigns the lowest free number, so the number of a new
/// descriptor shows how many are in use.
/// </summary>
internal static unsafe class DescriptorHeadroom
{
    private const int Wanted = 64;

    /// <summary>Whether a new descriptor is one of those that should stay free.</summary>
    public static bool Includes(FileDescriptorHandle descriptor) => descriptor.Number >= FirstReserved();

    // Read each time: prlimit(1) can change it, and it is needed only once per connection.
    private static long FirstReserved()
    {
        StreamCalls.ResourceLimit limit = default;
        var result = SysResult.FromReturn(StreamCalls.GetResourceLimit(StreamCalls.RLIMIT_NOFILE, &limit));
        var descriptors = result.Succeeded ? (long)Math.Min(limit.Soft, int.MaxValue) : int.MaxValue;
        return descriptors - Math.Min(Wanted, descriptors / 8);
    }
}
