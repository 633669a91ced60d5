using NSubstitute;
using NumaSharp.Core;
using NumaSharp.Playground.Benchmarks.Memory;

namespace NumaSharp.Benchmarks.Tests.Memory;

public sealed class AdvisedMemoryProviderTests
{
    private readonly INumaMemoryProvider _inner = Substitute.For<INumaMemoryProvider>();
    private readonly AdvisedMemoryProvider _provider;

    public AdvisedMemoryProviderTests() => _provider = new AdvisedMemoryProvider(_inner, NumaMemoryAdvice.NoHugePages);

    [Fact]
    public void Commit_Memory_IsAdvised()
    {
        _provider.Commit(4096, 8192);

        _inner.Received(1).Commit(4096, 8192);
        _inner.Received(1).Advise(4096, 8192, NumaMemoryAdvice.NoHugePages);
    }

    [Fact]
    public void Advise_OtherPages_IsOverruled()
    {
        _provider.Advise(4096, 8192, NumaMemoryAdvice.HugePages);

        _inner.Received(1).Advise(4096, 8192, NumaMemoryAdvice.NoHugePages);
        _inner.DidNotReceive().Advise(4096, 8192, NumaMemoryAdvice.HugePages);
    }

    [Fact]
    public void Advise_Discard_IsPassedOn()
    {
        _provider.Advise(4096, 8192, NumaMemoryAdvice.Discard);

        _inner.Received(1).Advise(4096, 8192, NumaMemoryAdvice.Discard);
    }
}
