namespace NumaSharp.ContainerTests;

/// <summary>How a container of the playground's web app is run.</summary>
public sealed record ContainerSettings
{
    /// <summary>Whether the image is the one that was compiled ahead of time.</summary>
    public bool IsNativeAot { get; init; }

    /// <summary>The CPUs it may use, as a kernel list; all when <see langword="null"/>.</summary>
    public string? Cpus { get; init; }

    /// <summary>The nodes whose memory it may use, as a kernel list; all when <see langword="null"/>.</summary>
    public string? Mems { get; init; }

    /// <summary>The bytes it may use; 0: no limit.</summary>
    public long MemoryBytes { get; init; }

    /// <summary>Whether it has CAP_SYS_NICE, with which the engine's seccomp profile lets mbind(2) through.</summary>
    public bool MaySetNice { get; init; }

    public bool IsReadOnly { get; init; }

    /// <summary>User and group by number; the image's when <see langword="null"/>.</summary>
    public string? User { get; init; }

    /// <summary>The application's, after those that make it listen on a free port of the loopback interface.</summary>
    public IReadOnlyList<string> Arguments { get; init; } = [];
}
