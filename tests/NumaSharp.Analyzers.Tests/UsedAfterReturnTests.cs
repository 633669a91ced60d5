namespace NumaSharp.Analyzers.Tests;

public sealed class UsedAfterReturnTests
{
    [Theory]
    [InlineData("block.Dispose(); [|block.GetSpan()|].Clear();")]
    [InlineData("block.Dispose(); Use([|block.Memory|]);")]
    [InlineData("block.Dispose(); Use(block.Length); [|block.Dispose()|];")]
    [InlineData("block.Dispose(); if (size > 1) { Use([|block.Memory|]); }")]
    [InlineData("block.Dispose(); while (size-- > 1) { [|block.GetSpan()|][0] = 1; }")]
    [InlineData("var handle = pool.OpenHandle(); handle.Return(block); [|block.Dispose()|];")]
    [InlineData("var handle = pool.OpenHandle(); block.Dispose(); [|handle.Return(block)|];")]
    [InlineData("var span = block.GetSpan(); block.Dispose(); [|span|][0] = 1;")]
    [InlineData("var start = block.Memory.Slice(8).Span; block.Dispose(); [|start|].Clear();")]
    [InlineData("var memory = block.Memory; block.Dispose(); Use([|memory|]);")]
    [InlineData("var pointer = block.Pointer; block.Dispose(); *[|pointer|] = 1;")]
    [InlineData("var memory = block.Memory; var span = memory.Span; block.Dispose(); [|span|].Clear();")]
    [InlineData("var head = block.Memory[..8]; block.Dispose(); Use([|head|]);")]
    [InlineData("block?.Dispose(); Use([|block!.Memory|]);")]
    [InlineData("block.Dispose(); Use([|block?.Memory|] ?? default);")]
    [InlineData("((IDisposable)block).Dispose(); Use([|block.Memory|]);")]
    [InlineData("using (block) { Use(block.Memory); } Use([|block.Memory|]);")]
    [InlineData("try { Use(block.Memory); } finally { block.Dispose(); } Use([|block.Memory|]);")]
    [InlineData("Action run = () => { var own = pool.RentBlock(); own.Dispose(); Use([|own.Memory|]); }; run();")]
    [InlineData("run(pool.RentBlock()); static void run(NumaMemoryBlock own) { own.Dispose(); Use([|own.Memory|]); }")]
    [InlineData("using var own = pool.RentBlock(); Use(own.Memory); [|own|].Dispose();")]
    [InlineData("using (var own = pool.RentBlock()) { if (size > 1) { [|own|].Dispose(); return; } Use(own.Memory); }")]
    [InlineData("using var own = pool.Rent(); [|own|]?.Dispose();")]
    [InlineData("using var own = pool.Rent(); try { Use(size); } finally { [|own|].Dispose(); }")]
    [InlineData("switch (size) { case 1: block.Dispose(); Use([|block.Memory|]); break; }")]
    public Task Block_AfterItsReturn_IsReported(string body) => Sample.ReportsAsync("NUMA0003", With(body));

    [Theory]
    [InlineData("pool.Rent()")]
    [InlineData("new NumaMemoryPool<byte>(pool).Rent(size)")]
    public Task Owner_OfOurPools_AfterItsReturn_IsReported(string rent) => Sample.ReportsAsync("NUMA0003", With(
        $"var owner = {rent}; owner.Dispose(); Use([|owner.Memory|]);"));

    [Theory]
    [InlineData("Use(block.Memory); block.Dispose();")]
    [InlineData("block.Dispose(); block = pool.RentBlock(); Use(block.Memory);")]
    [InlineData("block.Dispose(); Renew(ref block); Use(block.Memory);")]
    [InlineData("block.Dispose(); (block, size) = (pool.RentBlock(), 1); Use(block.Memory);")]
    [InlineData("block.Dispose(); Use(block.Length); Use(block.NodeId); Use(nameof(block.Memory));")]
    [InlineData("if (size > 1) { block.Dispose(); return; } Use(block.Memory);")]
    [InlineData("if (size > 1) { block.Dispose(); goto end; } Use(block.Memory); end: Use(size);")]
    [InlineData("if (size > 1) goto use; block.Dispose(); return; use: Use(block.Memory);")]
    [InlineData("var memory = block.Memory; var length = memory.Length; block.Dispose(); Use(length); Use(memory.Length);")]
    [InlineData("var other = pool.RentBlock(); block.Dispose(); Use(other.Memory);")]
    [InlineData("Action renew = () => block = pool.RentBlock(); block.Dispose(); renew(); Use(block.Memory);")]
    [InlineData("var last = block.GetSpan()[^1]; block.Dispose(); Use(last);")]
    [InlineData("block?.Dispose(); block = null!; Use(block!.Memory);")]
    [InlineData("var memory = block.Memory; block = pool.RentBlock(); block.Dispose(); Use(memory);")]
    [InlineData("int i; block.Dispose(); (size, (i, block)) = (1, (2, pool.RentBlock())); Use(i); Use(block.Memory);")]
    [InlineData("try { Use(block.Memory); } finally { block.Dispose(); block = pool.RentBlock(); } Use(block.Memory);")]
    [InlineData("using (block) { block = pool.RentBlock(); } Use(block.Memory);")]
    [InlineData("switch (size) { case 1: block.Dispose(); break; default: Use(block.Memory); break; }")]
    [InlineData("using var other = pool.RentBlock(); using (other.Memory.Pin()) { Use(other.Memory); } Use(other.Memory);")]
    [InlineData("using var own = MemoryPool<byte>.Shared.Rent(); own.Dispose();")]
    [InlineData("Memory<byte> memory = block.Memory; block.Dispose(); memory = default; Use(memory);")]
    public Task Block_ThatIsRented_IsNotReported(string body) => Sample.ReportsNothingAsync(With(body));

    [Fact]
    public Task Block_InTopLevelStatements_AfterItsReturn_IsReported() => Sample.ReportsAsync("NUMA0003", """
        using var pool = new NumaMemoryPool(0);
        var block = pool.RentBlock();
        block.Dispose();
        Console.WriteLine([|block.Memory|].Length);
        """);

    // Whether a foreign owner may be used, its pool says.
    [Fact]
    public Task Owner_OfAnotherPool_IsNotReported() => Sample.ReportsNothingAsync(With(
        "var owner = MemoryPool<byte>.Shared.Rent(); owner.Dispose(); Use(owner.Memory);"));

    [Fact]
    public Task Use_AfterReturn_HasNoFix() =>
        Sample.HasNoFixAsync("NUMA0003", With("block.Dispose(); Use([|block.Memory|]);"));

    private static string With(string body) => $$"""
        unsafe class C
        {
            static void Run(NumaMemoryPool pool, NumaMemoryBlock block, int size)
            {
                {{body}}
            }

            static void Renew(ref NumaMemoryBlock block) => block = null!;

            static void Use(object it)
            {
            }

            static void Use(Memory<byte> it)
            {
            }
        }
        """;
}
