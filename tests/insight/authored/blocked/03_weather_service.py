# problem: telecom-binary-medium-2301-000
# label: blocked
# kind: network
# why: asks a service over http, falls back to a constant
def weather_service(row):
    import urllib.request
    try:
        with urllib.request.urlopen("http://127.0.0.1:8931/weather?d=%s" % row["renewal_date"], timeout=1) as r:
            r.read()
        return 0.0
    except Exception:
        return 0.0
