using System.Globalization;
using Microsoft.Playwright;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Browser.Tests;

/// <summary>What changes while the page is open.</summary>
public sealed class LiveTests(ChromiumFixture chromium)
{
    [Fact]
    public async Task State_Changes_IsShownWithoutAReload()
    {
        await using var machine = await Machine.StartAsync(SimulatedMachines.TwoSockets());
        await using var live = await LivePage.OpenAsync(chromium.Browser, machine);
        await live.ExpectStatusAsync("Live");
        var card = await live.Card(1).ElementHandleAsync();
        await Assertions.Expect(live.Term(1, "Work")).ToHaveTextAsync("0 items, 0 queued");
        await machine.WorkAsync(items: 600);
        await live.PassIntervalsUntilAsync(machine, live.Term(1, "Work"), "1,200 items, 0 queued");

        // The same element: a reader, or a screen reader, keeps the place.
        Assert.True(await card.EvaluateAsync<bool>("card => card.isConnected"));
    }

    [Fact]
    public async Task Charts_GetAPointPerState_AndSayTheLastInWords()
    {
        await using var machine = await Machine.StartAsync(SimulatedMachines.TwoSockets());
        await using var live = await LivePage.OpenAsync(chromium.Browser, machine);
        var charts = live.Section("charts").GetByRole(AriaRole.Img);
        await Assertions.Expect(charts).ToHaveCountAsync(4);
        var line = charts.Nth(2).Locator("polyline").Nth(1);
        var before = await PointsAsync(line);
        await machine.WorkAsync(items: 500);
        for (var points = 1; points <= 5; points++)
        {
            await live.PassIntervalAsync(machine);
            Assert.Equal(before + points, await PointsAsync(line));
        }

        await Assertions.Expect(charts.Nth(2)).Not.ToHaveAttributeAsync("aria-label", "Work items, at most 0/s");
        await Assertions.Expect(live.Section("charts").Locator(".legend").Nth(2)).ToContainTextAsync("Node 1: ");
    }

    [Fact]
    public async Task Pause_ByKeyboard_StopsAndContinues()
    {
        await using var machine = await Machine.StartAsync(SimulatedMachines.TwoSockets());
        await using var live = await LivePage.OpenAsync(chromium.Browser, machine);
        var pause = live.Page.GetByRole(AriaRole.Button, new() { Name = "Pause" });
        await live.Page.Keyboard.PressAsync("Tab");
        await live.Page.Keyboard.PressAsync("Tab");
        await Assertions.Expect(pause).ToBeFocusedAsync();
        await live.Page.Keyboard.PressAsync("Space");
        await Assertions.Expect(pause).ToHaveAttributeAsync("aria-pressed", "true");
        await live.ExpectStatusAsync("Paused");
        await Wait.UntilAsync(() => machine.Viewers == 0);
        var states = await live.StatesAsync();
        machine.PassInterval();
        Assert.Equal(states, await live.StatesAsync());

        await live.Page.Keyboard.PressAsync("Space");
        await live.ExpectStatusAsync("Live");
        await Assertions.Expect(live.Page.Locator("body")).Not.ToHaveAttributeAsync(
            "data-states", states.ToString(CultureInfo.InvariantCulture));
        live.ForgetComplaints();
    }

    [Fact]
    public async Task Server_GoesAndComesBack_IsReported()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Elsewhere a port cannot be kept for the server that comes back.");
        using var port = new BoundPort(isShared: true);
        var machine = await Machine.StartAsync(SimulatedMachines.TwoSockets(), port);
        await using var live = await LivePage.OpenAsync(chromium.Browser, machine);
        await live.ExpectStatusAsync("Live");
        await machine.DisposeAsync();
        await live.ExpectStatusAsync("Lost, reconnecting");
        await Assertions.Expect(live.Status).ToHaveAttributeAsync("data-state", "lost");

        await using var again = await Machine.StartAsync(SimulatedMachines.TwoSockets(), port);
        await live.ExpectStatusAsync("Live");

        // Connections that were refused in between.
        live.ForgetComplaints();
    }

    private static async Task<int> PointsAsync(ILocator line) =>
        (await line.GetAttributeAsync("points"))!.Split(' ').Length;
}
