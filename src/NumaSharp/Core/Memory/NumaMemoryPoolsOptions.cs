namespace NumaSharp.Core;

/// <summary>The settings of <see cref="NumaMemoryPools"/>. Nodes and bind mode come from the plan. Read once.</summary>
public sealed class NumaMemoryPoolsOptions
{
    /// <summary>The size in bytes of an ordinary block, 64 to 1 MiB; rounded up to a multiple of 64. Default 4096.</summary>
    public int BlockSize { get; set; } = NumaMemoryPool.DefaultBlockSize;

    /// <summary>The most bytes of memory that each node's pool takes from the system; 0, the default, for no limit.</summary>
    public long LimitPerNode { get; set; }

    /// <summary>Whether a block is cleared when it is returned, so that no secret lives on in the pool. Default false.</summary>
    public bool ZeroOnReturn { get; set; }

    /// <summary>As <see cref="NumaMemoryPoolOptions.ArrayBacked"/>. Default false.</summary>
    public bool ArrayBacked { get; set; }

    /// <summary>As <see cref="NumaMemoryPoolOptions.TrimAfter"/>. Default <see cref="TimeSpan.Zero"/>: never.</summary>
    public TimeSpan TrimAfter { get; set; }

    /// <summary>How many bytes of each node's committed memory <see cref="TrimAfter"/> leaves. Default 16 MiB.</summary>
    public long KeepPerNode { get; set; } = NumaMemoryPool.DefaultKeepBytes;

    /// <summary>As <see cref="NumaMemoryPoolOptions.Checks"/>. Default <see cref="NumaMemoryChecks.None"/>.</summary>
    public NumaMemoryChecks Checks { get; set; }

    /// <summary>As <see cref="NumaMemoryPoolOptions.TraceEvery"/>. Default 1.</summary>
    public int TraceEvery { get; set; } = 1;

    /// <summary>The clock of <see cref="TrimAfter"/>; <see langword="null"/> for the system's clock.</summary>
    public TimeProvider? Time { get; set; }

    /// <summary>Where address space and pages come from; <see langword="null"/> for this machine's own provider.</summary>
    public INumaMemoryProvider? Memory { get; set; }

    /// <summary>Pins the thread of a first touch; <see langword="null"/> for this machine's own provider.</summary>
    public INumaAffinityProvider? Affinity { get; set; }

    /// <summary>Receives fallbacks; <see langword="null"/> for <see cref="NumaMemoryPool.DefaultFallbacks"/>.</summary>
    public NumaFallbacks? Fallbacks { get; set; }
}
