using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using NumaSharp.Core;
using NumaSharp.Hosting.Memory;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Hosting.Tests.Starting;

/// <summary>Nodes that give no memory when a host starts: the key that is to blame, and the advice, depend on why.</summary>
public sealed class MemoryRefusalTests
{
    private readonly SimulatedMachine _machine = NumaHost.TwoNodes();

    [Theory]
    [InlineData(SimulatedError.EPERM, "seccomp")]
    [InlineData(SimulatedError.ENOSYS, "cannot bind memory strictly: set Numa:Binding:Mode to Advisory")]
    [InlineData(SimulatedError.EINVAL, "Binding:Nodes")]
    [InlineData(SimulatedError.EIO, "Set Advisory")]
    public async Task Start_StrictAndRefused_BlamesTheModeAndAdvises(SimulatedError error, string advice)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Elsewhere nothing is said of seccomp.");
        _machine.Inject(new SimulatedFault(SimulatedOperation.Bind, error));
        var failures = await FailuresOfStartAsync(_machine.Platform.Memory, ("Binding:Mode", "Strict"));
        Assert.Equal(2, failures.Count);
        Assert.All(failures, text => Assert.StartsWith("Numa:Binding:Mode = 'Strict': ", text, StringComparison.Ordinal));
        Assert.All(failures, text => Assert.Contains($"{error}", text, StringComparison.Ordinal));
        Assert.All(failures, text => Assert.Contains(advice, text, StringComparison.Ordinal));
    }

    [Fact]
    public async Task Start_StrictAndNoMemoryToBind_DoesNotBlameTheMode()
    {
        _machine.Inject(new SimulatedFault(SimulatedOperation.Bind, SimulatedError.ENOMEM));
        AssertIsAboutMemory(
            await FailuresOfStartAsync(_machine.Platform.Memory, ("Binding:Mode", "Strict")), SimulatedMachine.ProviderName);
    }

    [Fact]
    public async Task Start_NoMemory_BlamesNeitherModeNorTheProvidersCode()
    {
        var memory = new FaultyMemoryProvider { OnReserve = static () => FaultyMemoryProvider.NoMemory };
        AssertIsAboutMemory(await FailuresOfStartAsync(memory), memory.Name);
    }

    [Fact]
    public async Task Start_NotAsMuchMemoryAsThePoolIsToHave_BlamesItsSize()
    {
        var reservations = 0;
        var memory = new FaultyMemoryProvider
        {
            OnReserve = () => ++reservations % 5 == 0 ? FaultyMemoryProvider.NoMemory : NumaResult.Success,
        };
        var failures = await FailuresOfStartAsync(memory, ("Memory:PoolSizePerNode", "64MiB"));
        Assert.Equal(2, failures.Count);
        Assert.All(failures, static text =>
            Assert.StartsWith("Numa:Memory:PoolSizePerNode = '64MiB': ", text, StringComparison.Ordinal));
        Assert.All(failures, static text => Assert.Contains("ENOMEM", text, StringComparison.Ordinal));
    }

    [Fact]
    public async Task Start_LimitBelowOnePage_BlamesTheLimit()
    {
        var memory = new FaultyMemoryProvider { PageSize = 1 << 30 };
        var failure = Assert.Single(await FailuresOfStartAsync(memory, ("Memory:LimitPerNode", "4MiB")));
        Assert.Equal(
            "Numa:Memory:LimitPerNode = '4MiB': must be at least one page of the memory provider Faulty, 1GiB",
            failure);
    }

    [Fact]
    public async Task Start_ProviderThrowsItsOwnText_BlamesTheProvider()
    {
        var memory = new FaultyMemoryProvider { OnReserve = static () => throw new NumaException("The license has expired.") };
        Assert.Equal(
            "Numa:Memory:Provider = 'Faulty': The license has expired.", Assert.Single(await FailuresOfStartAsync(memory)));
    }

    [Fact]
    public void Describe_RefusedElsewhere_SaysNothingOfLinux()
    {
        var plan = NumaPlan.Create(_machine.Platform.Topology.Read());
        using var pools = new NumaMemoryPools(plan, new NumaMemoryPoolsOptions { Memory = _machine.Platform.Memory });
        foreach (var failure in Enum.GetValues<NumaFailure>())
        {
            var exception = new NumaException("Bind", new NumaResult(failure, 1, "E"), new(0));
            var text = MemoryRefusal.Describe(exception, plan, pools[0], _machine.Platform.Memory, isLinux: false).Reason;
            Assert.DoesNotContain("mbind", text, StringComparison.Ordinal);
            Assert.DoesNotContain("vm.", text, StringComparison.Ordinal);
        }
    }

    private static void AssertIsAboutMemory(IReadOnlyList<string> failures, string provider)
    {
        Assert.NotEmpty(failures);
        Assert.All(failures, text => Assert.StartsWith($"Numa:Memory:Provider = '{provider}': ", text, StringComparison.Ordinal));
        Assert.All(failures, static text => Assert.Contains("ENOMEM", text, StringComparison.Ordinal));
        Assert.All(failures, static text => Assert.Contains("Free memory", text, StringComparison.Ordinal));
        Assert.All(failures, static text => Assert.DoesNotContain("Advisory", text, StringComparison.Ordinal));
        Assert.All(failures, static text => Assert.DoesNotContain("must not throw", text, StringComparison.Ordinal));
    }

    private async Task<IReadOnlyList<string>> FailuresOfStartAsync(
        INumaMemoryProvider memory, params (string Key, string? Value)[] settings)
    {
        var builder = NumaHost.CreateBuilder(settings);
        builder.AddNuma(numa => numa.UsePlatform(
            new NumaPlatform(_machine.Platform.Topology, memory, _machine.Platform.Affinity)));
        using var host = builder.Build();
        var refusal = await Assert.ThrowsAnyAsync<OptionsValidationException>(
            () => host.StartAsync(TestContext.Current.CancellationToken));
        return [.. refusal.Failures];
    }
}
