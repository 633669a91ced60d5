using NumaSharp.Core;

namespace NumaSharp.GuestProbe.Locality;

/// <summary>Where a thread runs and pages are, as the kernel says.</summary>
internal static class Place
{
    private const int Size = 4096;
    private const int Patience = 100_000;

    /// <summary>The node of the CPU that the calling thread runs on at this moment.</summary>
    public static int OfThisThread()
    {
        NumaPlatform.Default.Affinity.GetCurrent(out _, out var node).ThrowIfFailed("getcpu");
        return node.Value;
    }

    /// <summary>Where each page of a range begins.</summary>
    public static IEnumerable<nint> PagesOf(nint address, int length)
    {
        for (var page = address & ~(Size - 1); page < address + length; page += Size)
        {
            yield return page;
        }
    }

    /// <summary>The node of a page that has been written to.</summary>
    public static int OfPage(nint page)
    {
        for (var i = 0; i < Patience; i++)
        {
            NumaPlatform.Default.Memory.QueryNode(page, out var node).ThrowIfFailed("move_pages");
            if (node is { } found)
            {
                return found.Value;
            }

            // The kernel is moving it: until it is there, it is nowhere.
        }

        throw new InvalidOperationException($"The page at {page:x} is on no node.");
    }
}
