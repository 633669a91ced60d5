using Microsoft.Playwright;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Browser.Tests;

/// <summary>Pictures for people, in artifacts/screenshots.</summary>
[Trait("tier", "deep")]
public sealed class ScreenshotTests(ChromiumFixture chromium)
{
    [Theory]
    [InlineData(390, ColorScheme.Dark)]
    [InlineData(390, ColorScheme.Light)]
    [InlineData(1920, ColorScheme.Light)]
    [InlineData(1920, ColorScheme.Dark)]
    public async Task Page_OnFourNodesWithAProblem_IsTaken(int width, ColorScheme scheme)
    {
        var options = SimulatedMachines.Nps4();
        options.Faults.Add(new SimulatedFault(SimulatedOperation.Bind, SimulatedError.EPERM) { NodeId = new(3) });
        await using var machine = await Machine.StartAsync(options);
        await using var live = await LivePage.OpenAsync(
            chromium.Browser, machine, new() { ColorScheme = scheme, ViewportSize = new() { Width = width, Height = 1000 } });
        for (var i = 0; i < 10; i++)
        {
            await machine.WorkAsync();
            await live.PassIntervalAsync(machine);
        }

        var path = Repository.PathOf("artifacts", "screenshots", $"page-{width}-{scheme}.png");
        await live.Page.ScreenshotAsync(new() { Path = path, FullPage = true });
        Assert.InRange(new FileInfo(path).Length, 20_000, 5_000_000);
    }
}
