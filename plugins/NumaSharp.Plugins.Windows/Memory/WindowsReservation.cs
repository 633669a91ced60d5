using NumaSharp.Plugins.Windows.Interop;

namespace NumaSharp.Plugins.Windows.Memory;

/// <summary>
/// The address space of one Reserve call, in segments as Windows sees them: it binds, commits and releases by region. Calls
/// return the Win32 error. Thread-safe.
/// </summary>
internal sealed class WindowsReservation : IAddressRange
{
    private readonly Lock _lock = new();
    private readonly IMemoryCalls _calls;
    private readonly IAddressSpace _space;

    // In ascending order, without gaps.
    private readonly List<Segment> _segments;

    public WindowsReservation(IMemoryCalls calls, IAddressSpace space, nint start, nuint size)
    {
        _calls = calls;
        _space = space;
        Start = start;
        Size = size;
        _segments = [new Segment(start, size) { IsRegion = !space.HasPlaceholders }];
    }

    public nint Start { get; }

    public nuint Size { get; }

    public bool Contains(nint address, nuint size)
    {
        var offset = (nuint)(address - Start);
        return offset < Size && size <= Size - offset;
    }

    /// <summary>Prefers a node for a range; ERROR_NOT_SUPPORTED, without effect, if a part already has a fixed node.</summary>
    public int Bind(nint address, nuint size, int node)
    {
        lock (_lock)
        {
            for (var i = IndexOf(address); i < _segments.Count && _segments[i].Start < address + (nint)size; i++)
            {
                if (!CanBind(_segments[i], address, size, node))
                {
                    return Win32Error.ERROR_NOT_SUPPORTED;
                }
            }

            return ForEach(address, size, (segment, start, length) => BindPart(segment, start, length, node));
        }
    }

    public int Commit(nint address, nuint size)
    {
        lock (_lock)
        {
            return ForEach(address, size, CommitPart);
        }
    }

    /// <summary>Releases pages. They must be committed again.</summary>
    public int Decommit(nint address, nuint size)
    {
        lock (_lock)
        {
            return ForEach(
                address,
                size,
                (segment, start, length) => segment.IsLost ? Win32Error.ERROR_INVALID_ADDRESS
                    : segment.IsCommitted ? _calls.Decommit(start, length)
                    : Win32Error.ERROR_SUCCESS);
        }
    }

    /// <summary>Releases everything. Segments that the system refuses to free are left for another try.</summary>
    public int Release()
    {
        lock (_lock)
        {
            var result = Win32Error.ERROR_SUCCESS;
            foreach (var segment in _segments.Where(static segment => !segment.IsLost))
            {
                var error = _calls.Free(segment.Start);
                segment.IsLost = error == Win32Error.ERROR_SUCCESS;
                result = segment.IsLost ? result : error;
            }

            return result;
        }
    }

    private static bool CanBind(Segment segment, nint address, nuint size, int node) =>
        !segment.IsRegion
        || segment.Node == node
        || (!segment.IsCommitted && !segment.IsLost && address <= segment.Start && segment.End <= address + (nint)size);

    private int BindPart(Segment segment, nint start, nuint size, int node)
    {
        if (!segment.IsRegion)
        {
            return MakeRegion(segment, start, size, node);
        }

        if (segment.Node == node)
        {
            return Win32Error.ERROR_SUCCESS;
        }

        var error = _space.Rebind(segment, node);
        if (error == Win32Error.ERROR_SUCCESS)
        {
            segment.Node = node;
        }

        return error;
    }

    private int CommitPart(Segment segment, nint start, nuint size)
    {
        if (segment.IsLost)
        {
            return Win32Error.ERROR_INVALID_ADDRESS;
        }

        if (!segment.IsRegion)
        {
            var made = MakeRegion(segment, start, size, null);
            if (made != Win32Error.ERROR_SUCCESS)
            {
                return made;
            }

            segment = _segments[IndexOf(start)];
        }

        var error = _calls.Commit(start, size, segment.Node);
        segment.IsCommitted |= error == Win32Error.ERROR_SUCCESS;
        return error;
    }

    private int MakeRegion(Segment placeholder, nint start, nuint size, int? node)
    {
        // A placeholder of exactly this extent need not, and cannot, be split.
        if (start != placeholder.Start || size != placeholder.Size)
        {
            var error = _space.Cut(start, size);
            if (error != Win32Error.ERROR_SUCCESS)
            {
                return error;
            }

            placeholder = Cut(placeholder, start, size);
        }

        var result = _space.Replace(placeholder, node);
        if (result == Win32Error.ERROR_SUCCESS)
        {
            placeholder.IsRegion = true;
            placeholder.Node = node;
        }

        return result;
    }

    private Segment Cut(Segment placeholder, nint start, nuint size)
    {
        var index = IndexOf(start);
        var middle = new Segment(start, size);
        List<Segment> parts = [middle];
        if (placeholder.Start < start)
        {
            parts.Insert(0, new Segment(placeholder.Start, (nuint)(start - placeholder.Start)));
        }

        if (middle.End < placeholder.End)
        {
            parts.Add(new Segment(middle.End, (nuint)(placeholder.End - middle.End)));
        }

        _segments.RemoveAt(index);
        _segments.InsertRange(index, parts);
        return middle;
    }

    private int ForEach(nint address, nuint size, Func<Segment, nint, nuint, int> action)
    {
        var end = address + (nint)size;
        while (address < end)
        {
            var segment = _segments[IndexOf(address)];
            var length = nuint.Min((nuint)(end - address), (nuint)(segment.End - address));
            var error = action(segment, address, length);
            if (error != Win32Error.ERROR_SUCCESS)
            {
                return error;
            }

            address += (nint)length;
        }

        return Win32Error.ERROR_SUCCESS;
    }

    private int IndexOf(nint address) => AddressRanges.FindLast(_segments, address);
}
