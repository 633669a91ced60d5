using NumaSharp.Playground.Benchmarks.Http;

namespace NumaSharp.Benchmarks.Tests.Http;

public sealed class ServerEnvironmentTests
{
    [Fact]
    public void Clean_SettingsOfServers_AreRemovedAndTheRestStays()
    {
        var environment = new Dictionary<string, string?>
        {
            ["Numa__Enabled"] = "false",
            ["NUMA__TRANSPORT__DISPATCH"] = "Inline",
            ["ASPNETCORE_URLS"] = "http://+:80",
            ["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://collector",
            ["DOTNET_ENVIRONMENT"] = "Development",
            ["DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS"] = "1",
            ["Sockets__Inline"] = "true",
            ["PATH"] = "/bin",
            ["DOTNET_ROOT"] = "/opt/dotnet",
        };

        ServerEnvironment.Clean(environment);

        Assert.Equal(["DOTNET_ROOT", "PATH"], environment.Keys.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Find_MapsOfAProcess_IsTheFrameworksVersion() => Assert.Equal(
        "10.0.3",
        FrameworkVersion.Find([
            "7f00-7f01 r--p 00000000 08:01 1 /usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.4/System.Net.dll",
            "7f02-7f03 r--p 00000000 08:01 2 /usr/share/dotnet/shared/Microsoft.AspNetCore.App/10.0.3/Microsoft.AspNetCore.dll",
        ]));
}
