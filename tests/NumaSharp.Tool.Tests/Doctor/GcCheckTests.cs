using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Doctor;

namespace NumaSharp.Tool.Tests.Doctor;

/// <summary>Checks of the garbage collector's settings: the environment is hexadecimal, runtimeconfig.json decimal.</summary>
public sealed class GcCheckTests : IDisposable
{
    private readonly DoctorFixture _fixture = new();

    public void Dispose() => _fixture.Dispose();

    [Theory]
    [InlineData("gc-server", "DOTNET_gcServer", "0")]
    [InlineData("gc-server", "DOTNET_GCHeapCount", "4")]
    [InlineData("gc-affinity", "DOTNET_GCHeapAffinitizeMask", "1ff")]
    [InlineData("gc-affinity", "DOTNET_GCHeapAffinitizeRanges", "0-7,9")]
    [InlineData("gc-affinity", "DOTNET_GCNoAffinitize", "1")]
    [InlineData("gc-affinity", "DOTNET_GCHeapHardLimit", "40000000")]
    [InlineData("gc-heap-count", "DOTNET_GCHeapCount", "1")]
    [InlineData("gc-heap-count", "DOTNET_GCHeapCount", "4")]
    [InlineData("gc-heap-count", "DOTNET_GCHeapCount", "10")]
    [InlineData("gc-numa-aware", "DOTNET_GCNumaAware", "0")]
    public void Examine_VariableThatContradictsThePlan_IsFound(string id, string variable, string value)
    {
        _fixture.Environment[variable] = value;
        var finding = _fixture.Find(id);
        Assert.Equal(Severity.Warning, finding.Severity);
        Assert.True(id == "gc-server" || finding.Evidence[0] == new Evidence(variable, value));
    }

    [Theory]
    [InlineData("gc-server", "DOTNET_gcServer", "1")]
    [InlineData("gc-server", "DOTNET_GCGEN0SIZE", "")]
    [InlineData("gc-affinity", "DOTNET_GCHeapAffinitizeMask", "0xff")]
    [InlineData("gc-affinity", "DOTNET_GCHeapAffinitizeRanges", "0-7")]
    [InlineData("gc-affinity", "DOTNET_GCHeapAffinitizeRanges", "rubbish")]
    [InlineData("gc-affinity", "DOTNET_GCNoAffinitize", "0")]
    [InlineData("gc-heap-count", "DOTNET_GCHeapCount", "5")]
    [InlineData("gc-heap-count", "DOTNET_GCHeapCount", "8")]
    [InlineData("gc-heap-count", "DOTNET_GCHeapCount", "zz")]
    [InlineData("gc-numa-aware", "DOTNET_GCNumaAware", "1")]
    public void Examine_VariableThatFits_IsHealthy(string id, string variable, string value)
    {
        _fixture.Environment[variable] = value;
        _fixture.AssertHealthy(id);
    }

    [Fact]
    public void Examine_NothingKnownOfTheApplication_SaysNothingOfItsCollector()
    {
        _fixture.AssertHealthy("gc-server");
        _fixture.AssertHealthy("gc-datas");
    }

    // The heaps of 8 CPUs are fewer while the application is idle, unless their number is set.
    [Theory]
    [InlineData(null, null, true)]
    [InlineData("DOTNET_GCDynamicAdaptationMode", "1", true)]
    [InlineData("DOTNET_GCDynamicAdaptationMode", "0", false)]
    [InlineData("DOTNET_GCHeapCount", "8", false)]
    [InlineData("DOTNET_GCMaxHeapCount", "4", true)]
    public void Examine_ServerGcWithDatas_IsFoundWhereItCounts(string? variable, string? value, bool hurts)
    {
        _fixture.Environment["DOTNET_gcServer"] = "1";
        if (variable is not null)
        {
            _fixture.Environment[variable] = value!;
        }

        Assert.Equal(hurts, _fixture.Finds("gc-datas"));
    }

    [Fact]
    public void Examine_HeapsOfOneNodeByRanges_NamesTheOther()
    {
        _fixture.Environment["DOTNET_GCHeapCount"] = "2";
        _fixture.Environment["DOTNET_GCHeapAffinitizeRanges"] = "4-5";
        Assert.Contains("threads of node 0 ", _fixture.Find("gc-heap-count").Problem, StringComparison.Ordinal);
        _fixture.Environment["DOTNET_GCHeapAffinitizeRanges"] = "0,4";
        _fixture.AssertHealthy("gc-heap-count");
    }

    // The runtime's default since .NET 9.
    [Theory]
    [InlineData("net8.0", false)]
    [InlineData("net9.0", true)]
    [InlineData("net10.0", true)]
    public void Examine_ServerGcByRuntime_HasDatasFromNineOn(string framework, bool hurts)
    {
        _fixture.RuntimeConfig = WriteConfig(
            $$"""
            { "runtimeOptions": { "tfm": "{{framework}}", "configProperties": { "System.GC.Server": true } } }
            """);
        Assert.Equal(hurts, _fixture.Finds("gc-datas"));
    }

    // A limit unbinds the heaps, and the CPUs of heaps bind them again.
    [Fact]
    public void Examine_LimitWithCpusOfTheHeaps_IsHealthy()
    {
        _fixture.Environment["DOTNET_gcServer"] = "1";
        _fixture.Environment["DOTNET_GCHeapHardLimit"] = "40000000";
        Assert.Contains("DOTNET_GCHeapAffinitizeRanges=0-7", _fixture.Find("gc-affinity").Advice, StringComparison.Ordinal);
        _fixture.Environment["DOTNET_GCHeapAffinitizeRanges"] = "0-7";
        _fixture.AssertHealthy("gc-affinity");
    }

    // As with a quota of CPUs: the runtime has as many heaps as it counts CPUs.
    [Fact]
    public void Examine_FewerProcessorsThanCpus_NamesTheNodeWithoutHeaps()
    {
        _fixture.Environment["DOTNET_gcServer"] = "1";
        _fixture.Environment["DOTNET_GCDynamicAdaptationMode"] = "0";
        _fixture.Processors = 4;
        var finding = _fixture.Find("gc-heap-count");
        Assert.Contains("threads of node 1 ", finding.Problem, StringComparison.Ordinal);
        Assert.Equal(new Evidence("Environment.ProcessorCount", "4"), finding.Evidence[0]);
        _fixture.Processors = 8;
        _fixture.AssertHealthy("gc-heap-count");
        _fixture.Environment["DOTNET_GCMaxHeapCount"] = "4";
        Assert.Equal(new Evidence("DOTNET_GCMaxHeapCount", "4"), _fixture.Find("gc-heap-count").Evidence[0]);
    }

    [Theory]
    [InlineData("gc-heap-count", "DOTNET_GCHeapCount", "1")]
    [InlineData("gc-affinity", "DOTNET_GCNoAffinitize", "1")]
    public void Examine_HeapsOfAWorkstationGc_DoNotCount(string id, string variable, string value)
    {
        _fixture.Environment["DOTNET_gcServer"] = "0";
        _fixture.Environment[variable] = value;
        _fixture.AssertHealthy(id);
    }

    // 64 CPUs are asked for with CPUs 0-7.
    [Theory]
    [InlineData("ff", false)]
    [InlineData("ffffffff,ffffffff", false)]
    [InlineData("1,ffffffff,ffffffff", true)]
    [InlineData("00000000,00000000,000000ff", true)]
    public void Examine_MasksThatAreWiderThanSysfsSays_AreFound(string mask, bool hurts)
    {
        _fixture.Tree.Write("sys/devices/system/cpu/possible", "0-7\n");
        _fixture.Tree.Write(
            "proc/self/status", $"Cpus_allowed:\t{mask}\nCpus_allowed_list:\t0-7\nMems_allowed_list:\t0-1\n");
        Assert.Equal(hurts, _fixture.Finds("gc-cpu-mask"));
        _fixture.Environment["DOTNET_gcServer"] = "0";
        _fixture.AssertHealthy("gc-cpu-mask");
    }

    [Fact]
    public void Examine_MasksThatAreWiderThanSysfsSays_MatterToTheServerGc()
    {
        _fixture.Tree.Write("sys/devices/system/cpu/possible", "0-7\n");
        _fixture.Tree.Write("proc/self/status", "Cpus_allowed:\t1,ffffffff,ffffffff\n");
        Assert.Equal(Severity.Info, _fixture.Find("gc-cpu-mask").Severity);
        _fixture.Environment["DOTNET_gcServer"] = "1";
        Assert.Equal(Severity.Warning, _fixture.Find("gc-cpu-mask").Severity);
    }

    [Fact]
    public void Examine_SeveralApplications_AreListed()
    {
        _fixture.Application = new ApplicationFiles(
            null, ["/app/a.runtimeconfig.json", "/app/b.runtimeconfig.json"], "Several applications.");
        Assert.Equal(2, _fixture.Find("gc-application").Evidence.Count);
        _fixture.Application = new ApplicationFiles("/app/a.runtimeconfig.json", []);
        _fixture.AssertHealthy("gc-application");
    }

    [Theory]
    [InlineData(10, true)]
    [InlineData(8, false)]
    public void Examine_RuntimeConfig_IsDecimal(int heaps, bool hurts)
    {
        _fixture.RuntimeConfig = WriteConfig(
            $$"""{ "runtimeOptions": { "configProperties": { "System.GC.Server": true, "System.GC.HeapCount": {{heaps}} } } }""");
        Assert.Equal(hurts, _fixture.Finds("gc-heap-count"));
        _fixture.AssertHealthy("gc-server");
    }

    [Fact]
    public void Examine_VariableAndRuntimeConfig_VariableWins()
    {
        _fixture.RuntimeConfig = WriteConfig("""{ "runtimeOptions": { "configProperties": { "System.GC.Server": true } } }""");
        _fixture.Environment["DOTNET_gcServer"] = "0";
        _fixture.Find("gc-server");
    }

    [Theory]
    [InlineData("{")]
    [InlineData("[]")]
    [InlineData("""{ "runtimeOptions": 3 }""")]
    [InlineData("""{ "Logging": { "LogLevel": { "Default": "Information" } } }""")]
    [InlineData("""{ "runtimeOptions": { "configProperties": [] } }""")]
    public void Read_FileThatIsNoRuntimeConfig_IsNamed(string json)
    {
        var path = WriteConfig(json);
        var exception = Assert.Throws<ToolException>(() => GcSettings.Read([], path));
        Assert.StartsWith($"'{path}' is not a runtimeconfig.json", exception.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("max", "100000000", 200000000, true)]
    [InlineData("max", "200000000", 100000000, false)]
    [InlineData("50000000", "200000000", 100000000, true)]
    [InlineData("max", "max", 100000000, false)]
    public void Examine_HeapLimit_HurtsAboveThatOfTheContainer(string own, string parent, long heap, bool hurts)
    {
        _fixture.Tree.Write("proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n")
            .Write("proc/self/cgroup", "0::/pod/app\n")
            .Write("sys/fs/cgroup/pod/app/memory.max", own + "\n")
            .Write("sys/fs/cgroup/pod/memory.max", parent + "\n");
        _fixture.Environment["DOTNET_GCHeapHardLimit"] = heap.ToString("x", null);
        Assert.Equal(hurts, _fixture.Finds("gc-memory-limit"));
    }

    private string WriteConfig(string json)
    {
        _fixture.Tree.Write("app.runtimeconfig.json", json);
        return _fixture.Tree.PathOf("app.runtimeconfig.json");
    }
}
