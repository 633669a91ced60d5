using System.Collections.Concurrent;
using System.Diagnostics;

namespace NumaSharp.Core.Memory;

/// <summary>
/// Records where calls come from. Few places allocate many blocks, so each is kept once; the stack is what takes time, so that
/// one of <paramref name="every"/> calls may be enough. Thread-safe.
/// </summary>
internal sealed class AllocationSites(int every)
{
    private const int MostFrames = 8;
    private const string OwnTypes = "NumaSharp.Core.";

    private readonly ConcurrentDictionary<AllocationSite, AllocationSite> _known = [];
    private uint _calls;

    /// <summary>The caller outside this library; <see langword="null"/> when this call is not sampled.</summary>
    public AllocationSite? Capture()
    {
        if (every == 0 || (every > 1 && Interlocked.Increment(ref _calls) % (uint)every != 0))
        {
            return null;
        }

        var trace = new StackTrace(1, fNeedFileInfo: false);
        var frames = new List<SiteFrame>(MostFrames);
        for (var i = 0; i < trace.FrameCount && frames.Count < MostFrames; i++)
        {
            var frame = trace.GetFrame(i)!;
            if (DiagnosticMethodInfo.Create(frame) is { } method && !IsOwn(method, isInnermost: frames.Count == 0))
            {
                frames.Add(new SiteFrame(method.DeclaringTypeName, method.Name, frame.GetILOffset()));
            }
        }

        var site = new AllocationSite([.. frames]);
        return _known.GetOrAdd(site, site);
    }

    private static bool IsOwn(DiagnosticMethodInfo method, bool isInnermost) =>
        isInnermost && method.DeclaringTypeName?.StartsWith(OwnTypes, StringComparison.Ordinal) == true;
}

/// <summary>A place in the code: the innermost frames of a stack.</summary>
internal sealed class AllocationSite : IEquatable<AllocationSite>
{
    private readonly SiteFrame[] _frames;
    private readonly int _hash;

    public AllocationSite(SiteFrame[] frames)
    {
        _frames = frames;
        var hash = default(HashCode);
        Array.ForEach(frames, frame => hash.Add(frame));
        _hash = hash.ToHashCode();
    }

    /// <summary>A place as the end of a sentence.</summary>
    public static string At(AllocationSite? site) => site is null ? " (no stack trace)" : $" at [{site}]";

    public bool Equals(AllocationSite? other) =>
        other is not null && _hash == other._hash && _frames.AsSpan().SequenceEqual(other._frames);

    public override bool Equals(object? obj) => Equals(obj as AllocationSite);

    public override int GetHashCode() => _hash;

    public override string ToString() => string.Join(" < ", _frames);
}

/// <summary>A call on the way to a block.</summary>
internal readonly record struct SiteFrame(string? Type, string Method, int Offset)
{
    public override string ToString() => $"{Type}.{Method}+0x{Offset:x}";
}
