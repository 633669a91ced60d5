using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated.Tests.Support;

/// <summary>A reservation of a simulated machine, in pages.</summary>
internal sealed class Memory : IDisposable
{
    private readonly INumaMemoryProvider _provider;
    private readonly nint _address;
    private readonly nuint _size;

    public Memory(SimulatedMachine machine, int pages)
    {
        _provider = machine.Platform.Memory;
        _size = (nuint)pages * _provider.PageSize;
        _provider.Reserve(_size, _provider.PageSize, out _address).ThrowIfFailed("reserve");
    }

    public nint Address => _address;

    public nuint Size => _size;

    public NumaResult Bind(NumaPlacement placement, int first = 0, int? count = null) =>
        _provider.Bind(AddressOf(first), SizeOf(count), placement);

    public NumaResult Commit(int first = 0, int? count = null) => _provider.Commit(AddressOf(first), SizeOf(count));

    public NumaResult Discard(int first, int count) =>
        _provider.Advise(AddressOf(first), SizeOf(count), NumaMemoryAdvice.Discard);

    public int[] Nodes(int first, int count) =>
        [.. Enumerable.Range(first, count).Select(page =>
        {
            _provider.QueryNode(AddressOf(page) + 7, out var node).ThrowIfFailed("query");
            return node?.Value ?? -1;
        })];

    public unsafe Span<byte> AsSpan(int first, int count) => new((void*)AddressOf(first), (int)SizeOf(count));

    public void Dispose() => _provider.Release(_address, _size);

    private nint AddressOf(int page) => _address + (nint)((nuint)page * _provider.PageSize);

    private nuint SizeOf(int? pages) => pages is { } count ? (nuint)count * _provider.PageSize : _size;
}
