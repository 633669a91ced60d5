namespace NumaSharp.Plugins.Windows.Interop;

/// <summary>Address space and pages of this process. Every call returns the Win32 error, 0 on success.</summary>
internal interface IMemoryCalls
{
    int Reserve(nint address, nuint size, int? node, out nint reserved);

    int Commit(nint address, nuint size, int? node);

    int Decommit(nint address, nuint size);

    int Free(nint address);

    int ReservePlaceholder(nuint size, nuint alignment, out nint reserved);

    int CutPlaceholder(nint address, nuint size);

    int ReplacePlaceholder(nint address, nuint size, int? node);

    int QueryPage(nint address, out WorkingSetPage page);
}
