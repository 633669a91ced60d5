using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated.Tests.Support;

/// <summary>What takes memory from a machine, and a fixed piece of work on it that notices lost or shared memory.</summary>
internal abstract class MemoryUser : IDisposable
{
    private static readonly int[] s_sizes = [100, 5000, 300_000, 64, 60_000, 1_300_000, 4096, 200_000];

    private readonly List<(nint Address, int Size)> _held = [];

    /// <summary>Bytes that it says it has from the system.</summary>
    public abstract long CommittedBytes { get; }

    /// <summary>Bytes that it says are in use.</summary>
    public abstract long BytesInUse { get; }

    public abstract nint Allocate(int size, int nodeId);

    public abstract void Free(nint address);

    public abstract void Trim();

    public abstract void Dispose();

    /// <summary>Takes and gives back blocks of all kinds on nodes 0 and 1.</summary>
    /// <returns>The failures.</returns>
    public List<Exception> Work()
    {
        var failures = new List<Exception>();
        for (var i = 0; i < 3 * s_sizes.Length; i++)
        {
            var size = s_sizes[i % s_sizes.Length];
            try
            {
                var address = Allocate(size, i % 2);
                BytesOf(address, size).Fill((byte)_held.Count);
                _held.Add((address, size));
            }
            catch (Exception exception) when (exception is OutOfMemoryException or NumaException)
            {
                failures.Add(exception);
            }

            if (i % 8 == 7)
            {
                FreeFrom(_held.Count / 2);
                Trim();
            }
        }

        FreeFrom(0);
        Assert.Equal(0, BytesInUse);
        return failures;
    }

    private static unsafe Span<byte> BytesOf(nint address, int size) => new((void*)address, size);

    private void FreeFrom(int first)
    {
        for (var i = _held.Count - 1; i >= first; i--)
        {
            var (address, size) = _held[i];
            Assert.Equal(-1, BytesOf(address, size).IndexOfAnyExcept((byte)i));
            Free(address);
        }

        _held.RemoveRange(first, _held.Count - first);
    }
}
