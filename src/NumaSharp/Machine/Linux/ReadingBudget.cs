namespace NumaSharp.Core.Topology;

/// <summary>
/// The limits of one reading of a machine: several times what the widest kernel can show (8192 CPUs, 1024 nodes), so that a
/// hostile tree, with links that lead to the same large folder a thousand times, ends in an error within seconds.
/// </summary>
internal sealed class ReadingBudget
{
    public const int MaxAccesses = 1 << 19;
    public const long MaxBytes = 1L << 28;

    /// <summary>How many files, folders and entries of folders were looked at.</summary>
    public int Accesses { get; private set; }

    public long Bytes { get; private set; }

    public void Access(string path)
    {
        if (++Accesses > MaxAccesses)
        {
            throw new NumaTopologyException(
                path, $"more than {MaxAccesses} files and entries", "a machine with 8192 CPUs and 1024 nodes has fewer");
        }
    }

    public void Take(string path, int bytes)
    {
        Bytes += bytes;
        if (Bytes > MaxBytes)
        {
            throw new NumaTopologyException(
                path, $"more than {MaxBytes} bytes in all files", "a machine with 8192 CPUs and 1024 nodes shows fewer");
        }
    }
}
